import { onAbort } from "../lifecycle/abort.ts";
import { Deferred } from "../lifecycle/deferred.ts";
import type { Clock } from "../time/clock.ts";

export interface FakeClockOptions {
  /** Each sleep moves the time itself and returns, instead of waiting for `advance`. */
  readonly autoAdvance?: boolean;
}

interface Sleeper {
  readonly wakeAtMs: number;
  wake(): void;
}

/** A clock that tests move by hand. `slept` lists every wait that was asked for, in order. */
export class FakeClock implements Clock {
  readonly slept: number[] = [];
  readonly #autoAdvance: boolean;
  #nowMs: number;
  #sleepers: Sleeper[] = [];
  #watchers: { readonly count: number; readonly reached: Deferred<void> }[] = [];

  constructor(startMs = Date.UTC(2026, 0, 1), options: FakeClockOptions = {}) {
    this.#nowMs = startMs;
    this.#autoAdvance = options.autoAdvance ?? false;
  }

  now(): number {
    return this.#nowMs;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.slept.push(ms);
    if (this.#autoAdvance) {
      this.#nowMs += Math.max(0, ms);
      await turnOfTheLoop();
      signal.throwIfAborted();
      return;
    }
    const done = new Deferred<void>();
    const sleeper: Sleeper = { wakeAtMs: this.#nowMs + Math.max(0, ms), wake: () => done.resolve() };
    this.#sleepers.push(sleeper);
    this.#notify();
    using _subscription = onAbort(signal, (reason) => done.reject(reason));
    try {
      await done.promise;
    } finally {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
    }
  }

  /** Moves the time, waking each sleeper at its own moment; what a sleeper does next runs before the next one wakes. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await turnOfTheLoop();
    for (;;) {
      const next = this.#sleepers.reduce<Sleeper | undefined>(
        (first, sleeper) => (first === undefined || sleeper.wakeAtMs < first.wakeAtMs ? sleeper : first),
        undefined,
      );
      if (next === undefined || next.wakeAtMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.wakeAtMs);
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      next.wake();
      await turnOfTheLoop();
    }
    this.#nowMs = endMs;
  }

  /** Resolves when at least `count` sleeps are waiting at the same time. */
  sleeping(count = 1): Promise<void> {
    const reached = new Deferred<void>();
    this.#watchers.push({ count, reached });
    this.#notify();
    return reached.promise;
  }

  #notify(): void {
    this.#watchers = this.#watchers.filter(({ count, reached }) => {
      if (this.#sleepers.length < count) return true;
      reached.resolve();
      return false;
    });
  }
}

/** Lets every promise that is ready, and what follows from it, run. */
function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
