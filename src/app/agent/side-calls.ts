import type { LoadedConfig } from "#config";
import { type Content, imagePart, type SessionId, textPart, userMessage } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import {
  type Auxiliary,
  type AuxiliaryRecord,
  createAuxiliary,
  estimateCall,
  estimateRequest,
  type Target,
} from "#model";
import type { Availability, Auxiliary as ToolAuxiliary } from "#tools";
import type { Books } from "../books.ts";
import type { Models } from "../wire-model.ts";

interface SideCallParts {
  readonly loaded: LoadedConfig;
  readonly models: Models;
  readonly logger: Logger;
  readonly sessionId: SessionId;
  /** What the session talks to right now. */
  main(): Target | undefined;
  warn(text: string): void;
  /** Every call a provider counted. */
  record(sessionId: SessionId, record: AuxiliaryRecord): void;
}

/** The small side calls of one session: titles, summaries, judgements. They pass the same money gate. */
function openSideCalls({ loaded, models, logger, sessionId, main, warn, record }: SideCallParts): Auxiliary {
  const { catalog } = models.catalog;
  return createAuxiliary({
    stream: (request, signal) => models.stream(request, signal),
    estimate: (request) => {
      const promptTokens = estimateRequest(request);
      const quote = catalog.prices(models.question(request.target));
      return { ...estimateCall({ promptTokens, quote }, models.budgetLimits()), promptTokens };
    },
    cost: (target, usage, reportedUsd) => catalog.cost(models.question(target), usage, reportedUsd),
    gate: models.budget,
    spender: { sessionId },
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
    record: (call) => record(sessionId, call),
    logger,
  });
}

type ProcessParts = Omit<SideCallParts, "sessionId" | "main" | "record">;

/**
 * The side calls of a process: each session has its own; tools that serve all of them use the newest session's model.
 * What they cost is kept by task, in the books it is given.
 */
export class ProcessSideCalls {
  readonly #parts: Omit<SideCallParts, "sessionId" | "main">;
  #main: () => Target | undefined = () => undefined;
  #shared: Auxiliary | undefined;
  #books: Books | undefined;

  constructor(parts: ProcessParts) {
    this.#parts = { ...parts, record: (sessionId, call) => this.#books?.sideCall(sessionId, call) };
  }

  /** The books are opened after the tools that ask for side calls have been promised them. */
  keepBooksIn(books: Books): void {
    this.#books = books;
  }

  forSession(sessionId: SessionId, main: () => Target | undefined): Auxiliary {
    this.#main = main;
    return openSideCalls({ ...this.#parts, sessionId, main });
  }

  /** What a session is about to talk to, before it is open. */
  useMain(main: () => Target | undefined): void {
    this.#main = main;
  }

  /** For what all sessions share. */
  readonly run: Auxiliary["run"] = (task, input, signal) => this.#forAll().run(task, input, signal);

  /** Whether a model that sees images can be asked. */
  async canSee(signal: AbortSignal): Promise<Availability> {
    if (await this.#forAll().isReachable("vision", signal)) return true;
    return { reason: "no model that sees images is set up; auxiliary.vision names one" };
  }

  #forAll(): Auxiliary {
    this.#shared ??= openSideCalls({ ...this.#parts, sessionId: "tools" as SessionId, main: () => this.#main() });
    return this.#shared;
  }

  /** In the form tools know it. */
  readonly forTools: ToolAuxiliary = async (task, request, signal) => {
    const { system, prompt, images = [], maxTokens, temperature } = request;
    const content: Content = images.length === 0 ? prompt : [textPart(prompt), ...images.map((url) => imagePart(url))];
    const outcome = await this.run(
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
  };
}
