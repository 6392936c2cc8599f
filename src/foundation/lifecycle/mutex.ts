import { onAbort } from "./abort.ts";
import { Deferred } from "./deferred.ts";

/** One holder at a time, first come first served. Not re-entrant: a holder that locks again waits for itself. */
export class Mutex {
  #isHeld = false;
  #waiters: Deferred<void>[] = [];

  get isLocked(): boolean {
    return this.#isHeld;
  }

  async run<T>(work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    using _hold = await this.lock(signal);
    return await work();
  }

  /** Waits for its turn; a signal that fires while waiting gives the place up. Disposing releases, once. */
  async lock(signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.#isHeld) await this.#wait(signal);
    this.#isHeld = true;
    let isReleased = false;
    return {
      [Symbol.dispose]: () => {
        if (isReleased) return;
        isReleased = true;
        this.#release();
      },
    };
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const turn = new Deferred<void>();
    this.#waiters.push(turn);
    if (signal === undefined) return turn.promise;
    using _subscription = onAbort(signal, (reason) => {
      // Too late once the lock was handed over: then it is this waiter's, and only a release passes it on.
      this.#waiters = this.#waiters.filter((other) => other !== turn);
      turn.reject(reason);
    });
    await turn.promise;
  }

  /** Hands the lock straight to the next waiter, so nobody can step in between. */
  #release(): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#isHeld = false;
    else next.resolve();
  }
}

/** A mutex per key; keys nobody holds or waits for take no memory. */
export class KeyedMutex<K> {
  readonly #entries = new Map<K, { readonly mutex: Mutex; users: number }>();

  /** How many keys are held or waited for. */
  get size(): number {
    return this.#entries.size;
  }

  async run<T>(key: K, work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    using _hold = await this.lock(key, signal);
    return await work();
  }

  async lock(key: K, signal?: AbortSignal): Promise<Disposable> {
    const entry = this.#entries.get(key) ?? { mutex: new Mutex(), users: 0 };
    this.#entries.set(key, entry);
    entry.users += 1;
    let isLeft = false;
    const leave = (): void => {
      if (isLeft) return;
      isLeft = true;
      entry.users -= 1;
      if (entry.users === 0) this.#entries.delete(key);
    };
    try {
      const hold = await entry.mutex.lock(signal);
      return {
        [Symbol.dispose]() {
          hold[Symbol.dispose]();
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
