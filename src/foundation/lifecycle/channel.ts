import { Deferred } from "./deferred.ts";

type State =
  | { readonly kind: "open" }
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly error: unknown };

const compactAfter = 1_024;

/**
 * Values from one producer to one reader, in order. Invariants:
 *
 * 1. The reader ends as the producer ended: after the last value it sees the end, or the error.
 * 2. The end is final: values pushed after it are dropped, and a second `close` or `fail` changes nothing.
 * 3. A reader that leaves its loop early abandons the channel: what is buffered and what still comes
 *    is dropped, so a producer without a reader does not fill the memory.
 */
export class Channel<T> implements AsyncIterable<T> {
  #buffer: T[] = [];
  /** Read so far within the buffer; taking the first of a long array one by one would copy it each time. */
  #readCount = 0;
  #readers: Deferred<IteratorResult<T, undefined>>[] = [];
  #state: State = { kind: "open" };
  #isAbandoned = false;

  /** True once nothing more can be pushed. */
  get isClosed(): boolean {
    return this.#state.kind !== "open";
  }

  push(value: T): void {
    if (this.isClosed || this.#isAbandoned) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#buffer.push(value);
    else reader.resolve({ done: false, value });
  }

  close(): void {
    this.#end({ kind: "closed" });
  }

  fail(error: unknown): void {
    this.#end({ kind: "failed", error });
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#isAbandoned = true;
        this.#buffer = [];
        this.#readCount = 0;
        this.#release({ kind: "closed" });
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #next(): Promise<IteratorResult<T, undefined>> {
    if (this.#readCount < this.#buffer.length) {
      const value = this.#buffer[this.#readCount] as T;
      this.#readCount += 1;
      if (this.#readCount === this.#buffer.length || this.#readCount === compactAfter) {
        this.#buffer = this.#buffer.slice(this.#readCount);
        this.#readCount = 0;
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#isAbandoned || this.#state.kind === "closed") return Promise.resolve({ done: true, value: undefined });
    if (this.#state.kind === "failed") return Promise.reject(this.#state.error);
    const reader = new Deferred<IteratorResult<T, undefined>>();
    this.#readers.push(reader);
    return reader.promise;
  }

  #end(state: Exclude<State, { kind: "open" }>): void {
    if (this.isClosed) return;
    this.#state = state;
    this.#release(state);
  }

  #release(state: Exclude<State, { kind: "open" }>): void {
    const readers = this.#readers;
    this.#readers = [];
    for (const reader of readers) {
      if (state.kind === "failed") reader.reject(state.error);
      else reader.resolve({ done: true, value: undefined });
    }
  }
}
