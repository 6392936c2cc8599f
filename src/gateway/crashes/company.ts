import { isAbort, onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { Clock } from "#foundation/time/clock";

interface Waiting {
  /** How long it is to be alone; zero: it never is. */
  readonly aloneMs: number;
  readonly entered: Deferred<Disposable>;
  /** Stops the wait for chats that take long to leave. */
  patience?: AbortController;
}

const firstAloneMs = 5_000;
const longestAloneMs = 3_600_000;

/**
 * Which chats of this process are served beside each other. One with which programs have ended is served alone, so that
 * the next such end has one possible reason, and no other chat is cut off by it. Others wait for it, but not long: for a
 * few seconds after the first such end, and twice as long after each further one. As long it waits for the others to leave.
 */
export class Company {
  readonly #clock: Clock;
  readonly #queue: Waiting[] = [];
  #served = 0;
  #isAlone = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the chat may be served; disposing what it gives says that it no longer is. */
  async enter(suspicion: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const aloneMs = suspicion === 0 ? 0 : Math.min(longestAloneMs, firstAloneMs * 2 ** (suspicion - 1));
    const waiting: Waiting = { aloneMs, entered: new Deferred() };
    this.#queue.push(waiting);
    this.#next();
    using _leave = onAbort(signal, (reason) => {
      if (waiting.entered.isSettled) return;
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      waiting.patience?.abort();
      waiting.entered.reject(reason);
      this.#next();
    });
    return await waiting.entered.promise;
  }

  #next(): void {
    for (;;) {
      const [first] = this.#queue;
      if (first === undefined || this.#isAlone) return;
      if (first.aloneMs > 0 && this.#served > 0) {
        first.patience ??= this.#after(first.aloneMs, () => {
          this.#admit(first, false);
          this.#next();
        });
        return;
      }
      this.#admit(first, first.aloneMs > 0);
    }
  }

  #admit(first: Waiting, isAlone: boolean): void {
    this.#queue.splice(this.#queue.indexOf(first), 1);
    first.patience?.abort();
    this.#served += 1;
    this.#isAlone = isAlone;
    const opens = (): void => {
      this.#isAlone = false;
      this.#next();
    };
    const over = isAlone ? this.#after(first.aloneMs, opens) : undefined;
    first.entered.resolve({
      [Symbol.dispose]: () => {
        this.#served -= 1;
        const wasAlone = over !== undefined && !over.signal.aborted;
        over?.abort();
        if (wasAlone) this.#isAlone = false;
        this.#next();
      },
    });
  }

  /** Until the controller is aborted, by the caller or because its time has come. */
  #after(ms: number, act: () => void): AbortController {
    const over = new AbortController();
    const wait = async (): Promise<void> => {
      try {
        await this.#clock.sleep(ms, over.signal);
      } catch (error) {
        if (!isAbort(error)) throw error;
        return;
      }
      over.abort();
      act();
    };
    void wait();
    return over;
  }
}
