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
  #count: number;
  #busy = 0;
  #waiters: Deferred<void>[] = [];

  constructor(count: number) {
    this.#count = atLeastOne(count);
  }

  /** From now on so many; those that work already go on. */
  resize(count: number): void {
    this.#count = atLeastOne(count);
    this.#handOn();
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
    if (this.#busy < this.#count) {
      this.#busy += 1;
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

  #release(): void {
    this.#busy -= 1;
    this.#handOn();
  }

  /** Hands free places straight to those that wait. */
  #handOn(): void {
    while (this.#busy < this.#count) {
      const next = this.#waiters.shift();
      if (next === undefined) return;
      this.#busy += 1;
      next.resolve();
    }
  }
}

function atLeastOne(count: number): number {
  return Math.max(1, Math.floor(count));
}
