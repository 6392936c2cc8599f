import type { TurnResult } from "#agent";
import {
  type AgentEvent,
  addCost,
  addUsage,
  type Cost,
  type SessionId,
  type TurnId,
  type Usage,
  zeroUsage,
} from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { newId } from "#foundation/text/ids";
import type { Store } from "#store";
import { type Billed, usageChange } from "./usage-change.ts";

export interface TurnToolCall {
  readonly name: string;
  readonly ok: boolean;
  readonly durationMs: number;
}

export interface UsageRecordDeps {
  readonly store: Store;
  readonly logger: Logger;
  sessionId(): SessionId;
  /** Who is billed for the calls now. */
  target(): Billed;
}

/**
 * Counts what a turn used while it runs: every model call is in the books as soon as it is over, so a kill
 * in the middle of a turn loses no figure. Reads events only.
 */
export class UsageRecord {
  readonly #deps: UsageRecordDeps;
  readonly #startedAtMs: number;
  readonly #toolCalls: TurnToolCall[] = [];
  #turnId: TurnId = newId("trn") as TurnId;
  #usage: Usage = zeroUsage;
  #cost: Cost | undefined;
  #fallbackUsed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: UsageRecordDeps, startedAtMs: number) {
    this.#deps = deps;
    this.#startedAtMs = startedAtMs;
  }

  get turnId(): TurnId {
    return this.#turnId;
  }

  get usage(): Usage {
    return this.#usage;
  }

  get cost(): Cost | undefined {
    return this.#cost;
  }

  get toolCalls(): readonly TurnToolCall[] {
    return this.#toolCalls;
  }

  get fallbackUsed(): boolean {
    return this.#fallbackUsed;
  }

  see(event: AgentEvent): void {
    if (event.type === "turn-start") this.#turnId = event.turnId;
    else if (event.type === "tool-end")
      this.#toolCalls.push({ name: event.name, ok: !event.isError, durationMs: event.durationMs });
    else if (event.type === "target-change") this.#fallbackUsed = true;
    else if (event.type === "usage") this.#count(event.usage, event.cost);
  }

  /** The row of the turn; figures written before it are waited for. Never fails a turn. */
  async finish(result: TurnResult, endedAtMs: number): Promise<void> {
    await this.#writing;
    const id = result.session_id as SessionId;
    await this.#try("the turn was not recorded", async ({ turns, sessions }) => {
      await turns.record({
        id: this.#turnId,
        sessionId: id,
        startedAtMs: this.#startedAtMs,
        endedAtMs,
        exitReason: result.exit_reason,
        isCompleted: result.completed,
        isPartial: result.partial,
        isFailed: result.failed,
        isInterrupted: result.interrupted,
        apiCalls: result.api_calls,
        toolCalls: this.#toolCalls.length,
        usage: this.#usage,
        model: result.model,
        provider: result.provider,
        ...(result.error_class === null ? {} : { errorClass: result.error_class }),
        ...(result.error === null ? {} : { errorMessage: result.error }),
      });
      await sessions.update(id, { lastExitReason: result.exit_reason, lastPromptTokens: result.last_prompt_tokens });
    });
  }

  #count(usage: Usage, cost: Cost): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#cost = this.#cost === undefined ? cost : addCost(this.#cost, cost);
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
