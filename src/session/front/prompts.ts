import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";

export type Answered<T> =
  | { readonly kind: "answered"; readonly value: T }
  | { readonly kind: "timed-out" }
  | { readonly kind: "aborted" };

interface Open {
  readonly id: string;
  settle(value: unknown): void;
}

/**
 * What a surface is asked: one thing at a time, whatever kind it is, in the order of asking. Nothing stays
 * open: an answer, the end of the time or the end of the turn closes it.
 */
export class Prompts {
  readonly #clock: Clock;
  readonly #turn = new Mutex();
  #open: Open | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get openId(): string | undefined {
    return this.#open?.id;
  }

  /** `show` puts the question on the surface once it is its turn; the time runs from then on. */
  async ask<T>(
    question: { readonly id: string; readonly timeoutMs: number; show(): void },
    signal: AbortSignal,
  ): Promise<Answered<T>> {
    if (signal.aborted) return { kind: "aborted" };
    let hold: Disposable;
    try {
      hold = await this.#turn.lock(signal);
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      throw error;
    }
    using _hold = hold;
    const answer = new Deferred<Answered<T>>();
    const timer = new AbortController();
    using _stop = onAbort(signal, () => answer.resolve({ kind: "aborted" }));
    this.#open = { id: question.id, settle: (value) => answer.resolve({ kind: "answered", value: value as T }) };
    const timing = this.#clock.sleep(question.timeoutMs, timer.signal).then(
      () => answer.resolve({ kind: "timed-out" }),
      () => undefined,
    );
    try {
      question.show();
      return await answer.promise;
    } finally {
      this.#open = undefined;
      timer.abort();
      await timing;
    }
  }

  /** False when that question is not open any more. */
  answer(id: string, value: unknown): boolean {
    if (this.#open?.id !== id) return false;
    this.#open.settle(value);
    return true;
  }
}
