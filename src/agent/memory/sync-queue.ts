import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never, onAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { within } from "./bounded.ts";
import type { UnsyncedTurn } from "./unsynced-turns.ts";

export interface SyncQueueDeps {
  sync(turn: UnsyncedTurn, signal: AbortSignal): void | Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const longestWaitMs = 5_000;
const maxOpen = 100;

/**
 * Hands turns to a provider one after the other, and to nobody's delay: a turn waits at most five seconds for the one
 * before it. What failed or never ended stays open.
 */
export class SyncQueue {
  readonly #deps: SyncQueueDeps;
  readonly #open = new Set<UnsyncedTurn>();
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #last: Promise<void> = Promise.resolve();

  constructor(deps: SyncQueueDeps) {
    this.#deps = deps;
  }

  /** The turns that are not synced, oldest first. */
  get open(): readonly UnsyncedTurn[] {
    return [...this.#open];
  }

  /** Returns at once. */
  push(turn: UnsyncedTurn): void {
    this.#open.add(turn);
    const oldest = this.#open.values().next().value;
    if (this.#open.size > maxOpen && oldest !== undefined) {
      this.#open.delete(oldest);
      this.#deps.logger.warn("memory provider is too slow; an old turn is not synced", { sessionId: oldest.sessionId });
    }
    const running = this.#run(turn, this.#last);
    this.#last = running;
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }

  /** Waits for what runs, at most `timeoutMs`; then tells it to stop. */
  async close(timeoutMs: number): Promise<void> {
    const { clock, logger } = this.#deps;
    try {
      await within(() => this.#settled(), { clock, timeoutMs, signal: never });
    } catch (error) {
      logger.warn("memory provider did not finish in time", { open: this.#open.size, reason: describe(error) });
    } finally {
      this.#stop.abort();
    }
  }

  async #settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(turn: UnsyncedTurn, previous: Promise<void>): Promise<void> {
    const { clock, logger, sync } = this.#deps;
    await within(() => previous, { clock, timeoutMs: longestWaitMs, signal: never }).catch(() => {
      logger.debug("a sync starts beside one that still runs");
    });
    if (this.#stop.signal.aborted || !this.#open.has(turn)) return;
    // A signal for each, because providers may add listeners and never take them away.
    const own = new AbortController();
    using _stop = onAbort(this.#stop.signal, (reason) => own.abort(reason));
    try {
      await sync(turn, own.signal);
      this.#open.delete(turn);
    } catch (error) {
      logger.warn("memory provider failed", { call: "syncTurn", reason: describe(error) });
    }
  }
}
