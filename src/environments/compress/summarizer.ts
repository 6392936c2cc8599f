import { askModel, type ShareGptTurn } from "#agent";
import { userMessage } from "#conversation";
import { defined } from "#foundation/defined";
import type { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { Models } from "#model";
import { failedSummary, markedSummary, plainSummary, type Summary, turnsText } from "./compress.ts";

export interface SummarizerOptions {
  readonly models: Models;
  readonly clock: Clock;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: Secret | undefined;
  readonly temperature: number;
  readonly summaryTokens: number;
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  /** A problem that another attempt may solve. */
  onProblem(text: string): void;
}

type Summarize = (turns: readonly ShareGptTurn[], start: number, signal: AbortSignal) => Promise<Summary>;

/** Works without any model. */
export const summarizePlainly: Summarize = (turns) =>
  Promise.resolve({ text: plainSummary(turns), calls: 0, errors: 0 });

const longestWaitMs = 30_000;

/** Asks a model; after the last failed attempt a fixed sentence stands for the turns. */
export function modelSummarizer(options: SummarizerOptions): Summarize {
  const { models, clock, baseUrl, apiKey, model } = options;
  const isOpenRouter = new URL(baseUrl).hostname.endsWith("openrouter.ai");
  const wanted = isOpenRouter ? { provider: "openrouter", model } : { provider: "custom", model, baseUrl };
  const spender = { sessionId: "compress-trajectories", userId: undefined, treeId: "compress-trajectories" };
  return async (turns, start, signal) => {
    const prompt = request(turnsText(turns, start), options.summaryTokens);
    for (let attempt = 1; ; attempt += 1) {
      const answer = await askModel(
        models,
        {
          wanted: { ...wanted, ...defined({ apiKey }) },
          spender,
          purpose: "trajectory_compression",
          messages: [userMessage(prompt)],
          options: { temperature: options.temperature, maxOutputTokens: options.summaryTokens * 2 },
        },
        signal,
      );
      signal.throwIfAborted();
      if (answer.kind === "answer")
        return { text: markedSummary(answer.collected.message.content), calls: attempt, errors: attempt - 1 };
      options.onProblem(`Summary, attempt ${attempt}: ${answer.reason}`);
      if (attempt >= options.maxAttempts) return { text: failedSummary, calls: attempt, errors: attempt };
      const waitMs = Math.min(options.retryDelayMs * 2 ** (attempt - 1), longestWaitMs);
      await clock.sleep(waitMs + (Math.random() * waitMs) / 2, signal);
    }
  };
}

function request(content: string, tokens: number): string {
  return `Below are turns of a conversation between an assistant and its tools. They will be removed, and your summary takes their place.

Describe from outside, as facts, what the assistant did and found out: the actions it took, the results that matter, what it decided, and every file name, value and output that later turns may need. About ${tokens} tokens.

=== TURNS ===
${content}
=== END OF TURNS ===

Write nothing but the summary. It begins with "[CONTEXT SUMMARY]:".`;
}
