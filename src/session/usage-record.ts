import type { Cost, SessionId, TurnId, TurnResult, Usage } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { newId } from "#foundation/text/ids";
import type { Store } from "#store";
import type { SessionEvent } from "./api.ts";
import { type Billed, usageChange } from "./usage-change.ts";

export interface UsageRecordDeps {
  readonly store: Store;
  readonly logger: Logger;
  sessionId(): SessionId;
  /** Who is billed for the calls now. */
  target(): Billed;
}

/**
 * Writes down what a turn uses while it runs: every model call is in the books as soon as it is over, so a kill
 * in the middle of a turn loses no figure. Reads events only.
 */
export class UsageRecord {
  readonly #deps: UsageRecordDeps;
  readonly #startedAtMs: number;
  #turnId: TurnId = newId("trn") as TurnId;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: UsageRecordDeps, startedAtMs: number) {
    this.#deps = deps;
    this.#startedAtMs = startedAtMs;
  }

  note(event: SessionEvent): void {
    if (event.type === "turn-start") this.#turnId = event.turnId;
    else if (event.type === "usage") this.#count(event.usage, event.cost);
  }

  /** The row of the turn; figures written before it are waited for. Never fails a turn. */
  async finish(result: TurnResult, endedAtMs: number): Promise<void> {
    await this.#writing;
    const { sessionId: id, errorClass, error: errorMessage } = result;
    await this.#try("the turn was not recorded", async ({ turns, sessions }) => {
      await turns.record({
        id: this.#turnId,
        sessionId: id,
        startedAtMs: this.#startedAtMs,
        endedAtMs,
        exitReason: result.exitReason,
        isCompleted: result.completed,
        isPartial: result.partial,
        isFailed: result.failed,
        isInterrupted: result.interrupted,
        apiCalls: result.apiCalls,
        toolCalls: result.toolCalls.length,
        usage: result.usage,
        model: result.model,
        provider: result.provider,
        ...(errorClass === undefined ? {} : { errorClass }),
        ...(errorMessage === undefined ? {} : { errorMessage }),
      });
      await sessions.update(id, { lastExitReason: result.exitReason, lastPromptTokens: result.contextTokens });
    });
  }

  #count(usage: Usage, cost: Cost): void {
    const id = this.#deps.sessionId();
    const change = usageChange(this.#deps.target(), usage, cost);
    this.#later("usage was not recorded", ({ usage: book }) => book.change(id, change));
  }

  #later(what: string, write: (store: Store) => Promise<void>): void {
    this.#writing = this.#writing.then(() => this.#try(what, write));
  }

  async #try(what: string, write: (store: Store) => Promise<void>): Promise<void> {
    try {
      await write(this.#deps.store);
    } catch (error) {
      this.#deps.logger.error(what, { session: this.#deps.sessionId(), error: describe(error) });
    }
  }
}
