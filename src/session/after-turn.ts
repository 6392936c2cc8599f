import type { TurnResult } from "#conversation";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { BackgroundWork } from "./background-work.ts";
import type { LiveAgent } from "./live-agent.ts";
import type { SessionDeps } from "./session-deps.ts";
import { writeSessionLog } from "./session-log.ts";
import { nameSession } from "./title.ts";

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

  start(live: LiveAgent, result: TurnResult): void {
    const { session, work } = this.#deps;
    if (session.settings.writesSessionLog && session.home !== undefined)
      work.start("session log", () => this.#logFile.run(() => this.#writeLog(live, result)));
    if (session.settings.suggestsTitles && !result.failed && live.title.current === undefined)
      work.start("title", (signal) => this.#name(live, result, signal));
  }

  async #writeLog(live: LiveAgent, result: TurnResult): Promise<void> {
    const { session, source } = this.#deps;
    if (session.home === undefined) return;
    await writeSessionLog(session.home.sessions, {
      sessionId: result.sessionId,
      model: result.model,
      baseUrl: result.baseUrl,
      platform: source,
      startedAtMs: live.startedAtMs,
      nowMs: session.clock.now(),
      systemPrompt: live.systemPrompt(),
      tools: live.handle.definitions?.() ?? live.handle.facts().toolsets.flatMap((set) => set.tools),
      messages: result.messages,
    });
  }

  async #name(live: LiveAgent, result: TurnResult, signal: AbortSignal): Promise<void> {
    // Who asked one question leaves with the answer; a call for a title would be broken off, and counted.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) return;
    const { store, logger } = this.#deps.session;
    const suggest = live.handle.suggestTitle.bind(live.handle);
    const session = { id: result.sessionId, history: result.messages };
    const title = await nameSession({ store, logger, suggest }, session, signal);
    if (title === undefined) return;
    live.title.know(title);
    this.#deps.onTitle();
  }
}
