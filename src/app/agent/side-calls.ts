import type { LoadedConfig } from "#config";
import { type Content, imagePart, type SessionId, textPart, userMessage } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { type Auxiliary, createAuxiliary, estimateCall, estimateRequest, type Target } from "#model";
import type { Spender, Auxiliary as ToolAuxiliary } from "#tools";
import type { Books } from "../books.ts";
import { mixtureModels, samplingModel } from "../model-services.ts";
import type { Models } from "../wire-model.ts";

export interface SideCallParts {
  readonly loaded: LoadedConfig;
  readonly models: Models;
  readonly logger: Logger;
  readonly books: Books;
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
  { loaded, models, logger, books }: SideCallParts,
  { spender, main, warn }: SideCaller,
): Auxiliary {
  const { catalog } = models.catalog;
  const sessionId = spender.sessionId as SessionId;
  return createAuxiliary({
    stream: (request, signal) => models.stream(request, signal),
    estimate: (request) => {
      const promptTokens = estimateRequest(request);
      const quote = catalog.prices(models.question(request.target));
      return { ...estimateCall({ promptTokens, quote }, models.budgetLimits()), promptTokens };
    },
    cost: (target, usage, reportedUsd) => catalog.cost(models.question(target), usage, reportedUsd),
    gate: models.budget,
    spender: { sessionId, treeId: spender.treeId },
    clock: systemClock,
    warn,
    settings: () => loaded.config.auxiliary,
    auto: () => ({
      main: main(),
      prefer: loaded.config.auxiliary.prefer,
      profiles: models.context.registry.all(),
      canSee: (provider, model) => catalog.capabilities({ provider, model, baseUrl: "" }).includes("vision"),
    }),
    resolve: async (wish, signal) => {
      const resolution = await models.resolve(wish, signal);
      if (resolution.kind === "target") return { kind: "target", target: resolution.target };
      const { code, message, hint } = resolution;
      return { kind: "failure", code, message, hint };
    },
    record: (call) => books.sideCall(sessionId, call),
    logger,
  });
}

/** The same calls in the form tools know them. */
export function toolSideCalls(
  side: Auxiliary,
  { models }: Pick<SideCallParts, "models">,
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
          ...(system === undefined ? {} : { system }),
          ...(maxTokens === undefined ? {} : { maxTokens }),
          ...(temperature === undefined ? {} : { temperature }),
        },
        signal,
      );
      return outcome.kind === "done"
        ? { kind: "text", text: outcome.text }
        : { kind: "unavailable", reason: `${outcome.message} ${outcome.hint}`.trim() };
    },
    async canSee(signal) {
      if (await side.isReachable("vision", signal)) return true;
      return { reason: "no model that sees images is set up; auxiliary.vision names one" };
    },
    complete: mixtureModels(models, spender),
    sample: samplingModel((...given) => side.run(...given)),
  };
}
