import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";

/** Lets a bounded number of calls run at once; the others wait in the order they came. */
export class Limiter {
  #running = 0;
  #waiting: Deferred<void>[] = [];

  /** The bound is given per call, since a setting may change meanwhile. */
  async run<T>(limit: number, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    while (this.#running >= Math.max(1, limit)) await this.#turn(signal);
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.resolve();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const turn = new Deferred<void>();
    this.#waiting.push(turn);
    using _subscription = onAbort(signal, (reason) => {
      // Whoever was woken already passes the place on: it is lost otherwise.
      if (this.#waiting.includes(turn)) this.#waiting = this.#waiting.filter((other) => other !== turn);
      else this.#waiting.shift()?.resolve();
      turn.reject(reason);
    });
    await turn.promise;
  }
}
