import type { TurnResult } from "#conversation";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { SessionDeps } from "../session-deps.ts";
import type { BackgroundWork } from "./background-work.ts";
import type { Conversation } from "./conversation.ts";
import { writeSessionLog } from "./session-log.ts";
import { nameSession } from "./suggest-title.ts";

export interface AfterTurnDeps {
  readonly session: SessionDeps;
  readonly work: BackgroundWork;
  readonly source: string;
  /** The title changed. */
  onTitle(): void;
}

/** What follows a turn without anybody waiting for it: the log file and, after the first exchange, a title. */
export class AfterTurn {
  readonly #deps: AfterTurnDeps;
  readonly #logFile = new Mutex();

  constructor(deps: AfterTurnDeps) {
    this.#deps = deps;
  }

  start(conversation: Conversation, result: TurnResult): void {
    const { session, work } = this.#deps;
    if (session.settings.writesSessionLog)
      work.start("session log", () => this.#logFile.run(() => this.#writeLog(conversation, result)));
    if (session.settings.suggestsTitles && !result.failed && conversation.title.current === undefined)
      work.start("title", (signal) => this.#name(conversation, result, signal));
  }

  async #writeLog(conversation: Conversation, result: TurnResult): Promise<void> {
    const { session, source } = this.#deps;
    await writeSessionLog(session.home.sessions, {
      sessionId: result.sessionId,
      model: result.model,
      baseUrl: result.baseUrl,
      platform: source,
      startedAtMs: conversation.startedAtMs,
      nowMs: session.clock.now(),
      systemPrompt: conversation.systemPrompt(),
      tools: conversation.services.tools.definitions(),
      messages: result.messages,
    });
  }

  async #name({ services, title }: Conversation, result: TurnResult, signal: AbortSignal): Promise<void> {
    // Who asked one question leaves with the answer; a call for a title would be broken off, and counted.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) return;
    const { store, logger } = this.#deps.session;
    const suggest = services.titles.suggest.bind(services.titles);
    const named = { id: result.sessionId, history: result.messages };
    const input = await nameSession({ store, logger, suggest }, named, signal);
    if (input === undefined) return;
    title.know(input);
    this.#deps.onTitle();
  }
}
