import type { Config } from "#config";
import { type Content, imagePart, type Spender, textPart, userMessage } from "#conversation";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { type Auxiliary, createAuxiliary, estimateCall, estimateRequest, type Models, type Target } from "#model";
import type { Auxiliary as ToolAuxiliary } from "#tools";
import { askModel } from "./ask-model.ts";
import { samplingModel } from "./sampling.ts";

export interface SideCallDeps {
  readonly models: Models;
  readonly logger: Logger;
  /** `auxiliary`: which model each task uses. */
  settings(): Config["auxiliary"];
}

/** Whose side calls they are. */
export interface SideCaller {
  readonly spender: Spender;
  /** What the session talks to right now. */
  main(): Target | undefined;
  warn(text: string): void;
}

/** The small side calls of one session: titles, summaries, judgements. They pass the same money gate. */
export function openSideCalls(
  { models, logger, settings }: SideCallDeps,
  { spender, main, warn }: SideCaller,
): Auxiliary {
  const { catalog } = models.catalog;
  return createAuxiliary({
    stream: (request, signal) => models.stream(request, signal),
    estimate: (request) => {
      const promptTokens = estimateRequest(request);
      const quote = catalog.prices(models.question(request.target));
      return { ...estimateCall({ promptTokens, quote }), promptTokens };
    },
    cost: (target, usage, reportedUsd) => catalog.cost(models.question(target), usage, reportedUsd),
    gate: models.budget,
    spender,
    clock: systemClock,
    warn,
    settings,
    auto: () => ({
      main: main(),
      prefer: settings().prefer,
      profiles: models.context.registry.all(),
      canSee: (provider, model) => catalog.capabilities({ provider, model, baseUrl: "" }).includes("vision"),
    }),
    resolve: async (wanted, signal) => {
      const resolution = await models.resolve(wanted, signal);
      if (resolution.kind === "target") return { kind: "target", target: resolution.target };
      const { code, message, hint } = resolution;
      return { kind: "failure", code, message, hint };
    },
    logger,
  });
}

/** The same calls in the form tools know them. */
export function toolSideCalls(
  side: Auxiliary,
  { models }: Pick<SideCallDeps, "models">,
  spender: Spender,
): ToolAuxiliary {
  return {
    async ask(task, { system, prompt, images = [], maxTokens, temperature }, signal) {
      const content: Content =
        images.length === 0 ? prompt : [textPart(prompt), ...images.map((url) => imagePart(url))];
      const outcome = await side.run(
        task === "browser" ? "vision" : task,
        {
          messages: [userMessage(content)],
          ...defined({ system, maxTokens, temperature }),
        },
        signal,
      );
      return outcome.kind === "done"
        ? { kind: "text", text: outcome.text }
        : { kind: "unavailable", reason: `${outcome.message} ${outcome.hint}`.trim() };
    },
    async canSee(signal) {
      if ((await side.reachable("vision", signal)) !== undefined) return true;
      return {
        reason:
          "no model that sees images is set up; if this one does, set display.image_mode to native, else name one in auxiliary.vision",
      };
    },
    complete: mixtureModels(models, spender),
    sample: samplingModel((...input) => side.run(...input)),
  };
}

/** Asks one named model for `mixture_of_agents`; the names are those of OpenRouter. */
function mixtureModels(models: Models, spender: Spender): ToolAuxiliary["complete"] {
  return async (request, signal) => {
    const { model, system, prompt, temperature, maxTokens } = request;
    const answer = await askModel(
      models,
      {
        wanted: { provider: "openrouter", model },
        spender,
        purpose: "mixture_of_agents",
        messages: [userMessage(prompt)],
        ...defined({ system }),
        options: {
          temperature,
          maxOutputTokens: maxTokens,
          ...(request.hasDeepReasoning ? { reasoning: "xhigh" } : {}),
        },
      },
      signal,
    );
    if (answer.kind === "failed")
      return { kind: "failed", reason: answer.reason, isFinal: answer.failure?.isRetryable !== true };
    const { collected, usd } = answer;
    return { kind: "text", text: collected.message.content, ...defined({ usd }) };
  };
}
