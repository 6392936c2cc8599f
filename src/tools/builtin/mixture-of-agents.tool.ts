import { describe } from "#foundation/errors";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { backoffMs } from "#foundation/time/retry";
import type { MixtureAnswer, MixtureRequest } from "../contract/auxiliary.ts";
import { defineTool } from "../contract/define-tool.ts";
import { result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import type { Availability, Tool } from "../contract/tool.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

interface MixtureOptions {
  readonly referenceModels: readonly string[];
  readonly aggregatorModel: string;
  readonly tries: number;
  /** For everything together. */
  readonly timeoutMs: number;
  /** Completions asked for at most, all models and tries together. */
  readonly maxCalls: number;
  /** Once the answers have cost this much, nothing further is asked. */
  readonly maxUsd?: number;
}

const defaultMixture: MixtureOptions = {
  referenceModels: [
    "anthropic/claude-opus-4.6",
    "google/gemini-2.5-pro",
    "openai/gpt-5.4-pro",
    "deepseek/deepseek-v3.2",
  ],
  aggregatorModel: "anthropic/claude-opus-4.6",
  tries: 6,
  timeoutMs: 15 * 60_000,
  maxCalls: 30,
};

export interface MixtureDeps {
  readonly clock: Clock;
  readonly options?: Partial<MixtureOptions>;
  readonly check?: (signal: AbortSignal) => Promise<Availability> | Availability;
}

const maxTokens = 32_000;
const backoff = { baseMs: 2_000, maxMs: 60_000, jitter: 0 };

/** `mixture_of_agents`: several models think, one merges what they say. */
export function createMixtureOfAgentsTool(deps: MixtureDeps): Tool {
  return defineTool({
    name: "mixture_of_agents",
    toolset: "moa",
    emoji: "🧠",
    description:
      "Put one very hard question to several strong models and merge their answers into one. Slow and expensive: only for problems that resisted everything else.",
    parameters: {
      type: "object",
      properties: {
        user_prompt: { type: "string", description: "The whole question, with everything needed to answer it" },
      },
      required: ["user_prompt"],
    },
    requiresEnv: ["OPENROUTER_API_KEY"],
    effects: "elsewhere",
    check: deps.check,
    async run({ user_prompt: prompt }, context) {
      if (prompt.trim() === "") throw new ToolFailure("user_prompt must be a non-empty string");
      const options = { ...defaultMixture, ...deps.options };
      using limit = deadline(options.timeoutMs);
      const signal = linkSignals(context.signal, limit.signal);
      try {
        return await new Mixture({ ...deps, auxiliary: context.scope.auxiliary }, options, signal).run(prompt);
      } catch (error) {
        if (context.signal.aborted || !limit.signal.aborted) throw error;
        return failure(options, `no answer within ${Math.round(options.timeoutMs / 1000)} s`);
      }
    },
  });
}

class Mixture {
  readonly #deps: MixtureDeps & Pick<SessionScope, "auxiliary">;
  readonly #options: MixtureOptions;
  readonly #signal: AbortSignal;
  #calls = 0;
  #usd = 0;

  constructor(deps: MixtureDeps & Pick<SessionScope, "auxiliary">, options: MixtureOptions, signal: AbortSignal) {
    this.#deps = deps;
    this.#options = options;
    this.#signal = signal;
  }

  async run(prompt: string): Promise<ToolResult> {
    const answers = await Promise.all(
      this.#options.referenceModels.map(async (model) => ({
        model,
        answer: await this.#ask({ model, prompt, temperature: 0.6, maxTokens, hasDeepReasoning: false }),
      })),
    );
    const good = answers.flatMap(({ answer }) => (answer.kind === "text" ? [answer.text] : []));
    if (good.length === 0) {
      const reasons = answers.map(({ model, answer }) => `${model}: ${answer.kind === "failed" ? answer.reason : ""}`);
      return failure(this.#options, `none of the models answered (${reasons.join("; ").slice(0, 500)})`);
    }
    const merged = await this.#ask({
      model: this.#options.aggregatorModel,
      system: mergeInstructions,
      prompt: `Question:\n${prompt}\n\n${good.map((text, index) => `Answer ${index + 1}:\n${text}`).join("\n\n---\n\n")}`,
      temperature: 0.4,
      maxTokens,
      hasDeepReasoning: true,
    });
    if (merged.kind === "failed") return failure(this.#options, `the answers could not be merged: ${merged.reason}`);
    return result({ success: true, response: merged.text, models_used: modelsUsed(this.#options) });
  }

  async #ask(request: MixtureRequest): Promise<MixtureAnswer> {
    let last: MixtureAnswer = { kind: "failed", reason: "not asked: the budget of calls is used up" };
    for (let attempt = 1; attempt <= this.#options.tries; attempt += 1) {
      if (this.#calls >= this.#options.maxCalls) return last;
      if (this.#usd >= (this.#options.maxUsd ?? Number.POSITIVE_INFINITY)) return this.#tooDear();
      this.#calls += 1;
      last = await this.#once(request);
      if (last.kind === "text") this.#usd += last.usd ?? 0;
      if (last.kind === "text" && last.text.trim() !== "") return last;
      if (last.kind === "text") last = { kind: "failed", reason: "the answer was empty" };
      if (last.isFinal === true || attempt === this.#options.tries) return last;
      await this.#deps.clock.sleep(backoffMs(attempt, backoff), this.#signal);
    }
    return last;
  }

  #tooDear(): MixtureAnswer {
    const reason = `not asked: $${this.#usd.toFixed(2)} are spent, and moa.max_usd allows ${this.#options.maxUsd}`;
    return { kind: "failed", reason, isFinal: true };
  }

  async #once(request: MixtureRequest): Promise<MixtureAnswer> {
    try {
      return await this.#deps.auxiliary.complete(request, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) throw error;
      return { kind: "failed", reason: describe(error) };
    }
  }
}

const mergeInstructions =
  "Several models answered the same question. Write the one best answer: check the claims against each other, keep what is right, " +
  "correct what is wrong, and say where the matter is open. Do not mention that there were several answers.";

function modelsUsed(options: MixtureOptions): Readonly<Record<string, unknown>> {
  return { reference_models: options.referenceModels, aggregator_model: options.aggregatorModel };
}

function failure(options: MixtureOptions, error: string): ToolResult {
  return result({ success: false, response: "", models_used: modelsUsed(options), error }, { isError: true });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ mixture }) =>
  mixture === undefined ? [] : [createMixtureOfAgentsTool(mixture)];
