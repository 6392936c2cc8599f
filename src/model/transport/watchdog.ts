import type { Clock } from "#foundation/time/clock";

export type Limit = "connect" | "first-byte" | "idle" | "stale" | "total";

export interface Expired {
  readonly limit: Limit;
  readonly waitedMs: number;
}

interface Armed {
  readonly ms: number;
  since: number;
}

/**
 * The deadlines of one exchange. `touch` only notes the time, so that it may be called for every byte;
 * one sleeper looks after all limits. When one runs out, `signal` fires and `expired` says which.
 */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #armed = new Map<Limit, Armed>();
  #wake: AbortController | undefined;
  /** When the sleeper looks again; whatever runs out later needs no other. */
  #looksAtMs = Number.POSITIVE_INFINITY;
  #isOver = false;
  expired: Expired | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a limit, or starts it again. Zero, infinite and undefined mean none. */
  arm(limit: Limit, ms: number | undefined): void {
    if (this.#isOver) return;
    if (ms === undefined || ms <= 0 || !Number.isFinite(ms)) {
      this.#armed.delete(limit);
      return;
    }
    const since = this.#clock.now();
    this.#armed.set(limit, { ms, since });
    if (since + ms >= this.#looksAtMs) return;
    this.#wake?.abort();
    void this.#watch();
  }

  disarm(limit: Limit): void {
    this.#armed.delete(limit);
  }

  touch(limit: Limit): void {
    const armed = this.#armed.get(limit);
    if (armed !== undefined) armed.since = this.#clock.now();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#armed.clear();
    this.#wake?.abort();
  }

  async #watch(): Promise<void> {
    const wake = new AbortController();
    this.#wake = wake;
    while (!wake.signal.aborted && !this.#isOver) {
      const next = this.#next();
      this.#looksAtMs = next === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + next.leftMs;
      if (next === undefined) return;
      if (next.leftMs <= 0) {
        this.#expire(next.limit, next.waitedMs);
        return;
      }
      try {
        await this.#clock.sleep(next.leftMs, wake.signal);
      } catch (error) {
        if (wake.signal.aborted) return;
        throw error;
      }
    }
  }

  #next(): { readonly limit: Limit; readonly leftMs: number; readonly waitedMs: number } | undefined {
    const now = this.#clock.now();
    let soonest: { limit: Limit; leftMs: number; waitedMs: number } | undefined;
    for (const [limit, { ms, since }] of this.#armed) {
      const waitedMs = now - since;
      if (soonest === undefined || ms - waitedMs < soonest.leftMs) soonest = { limit, leftMs: ms - waitedMs, waitedMs };
    }
    return soonest;
  }

  #expire(limit: Limit, waitedMs: number): void {
    this.#isOver = true;
    this.expired = { limit, waitedMs };
    this.#controller.abort(new DOMException(`${limit} limit`, "TimeoutError"));
  }
}
