import { onAbort } from "./abort.ts";
import { Deferred } from "./deferred.ts";

/** A place among those that work at the same time. */
export interface Slot extends Disposable {
  /**
   * Gives the place up while `work` runs and takes one again afterwards. Whoever waits for others works as little as
   * one that has not started: keeping its place could leave none for those it waits for.
   */
  lend<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** So many at the same time, first come first served. */
export class Slots {
  #free: number;
  #waiters: Deferred<void>[] = [];

  constructor(count: number) {
    this.#free = Math.max(1, Math.floor(count));
  }

  async take(signal: AbortSignal): Promise<Slot> {
    await this.#take(signal);
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#release();
    };
    return {
      [Symbol.dispose]: release,
      lend: async (work, stop) => {
        release();
        try {
          return await work();
        } finally {
          isHeld = await this.#regain(stop);
        }
      },
    };
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const turn = new Deferred<void>();
    this.#waiters.push(turn);
    using _subscription = onAbort(signal, (reason) => {
      // Too late once the place was handed over: then it is this waiter's.
      this.#waiters = this.#waiters.filter((other) => other !== turn);
      turn.reject(reason);
    });
    await turn.promise;
  }

  /** False when whoever lent the place has been stopped meanwhile: it is ending and needs none. */
  async #regain(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#take(signal);
      return true;
    } catch (error) {
      if (!signal.aborted) throw error;
      return false;
    }
  }

  /** Hands the place straight to the next waiter. */
  #release(): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#free += 1;
    else next.resolve();
  }
}
