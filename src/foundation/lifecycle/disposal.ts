import { HermesError } from "../errors.ts";

/**
 * Owns things with a lifetime and ends them in reverse order. Invariants:
 *
 * 1. Everything is disposed, also when one part throws; the errors are thrown together afterwards.
 * 2. Disposing twice disposes once; the second caller waits for the first.
 * 3. A closed scope takes nothing in: what it is given is disposed at once, and the giver is told.
 */
export class Scope implements AsyncDisposable {
  #cleanups: (() => unknown)[] = [];
  #closing: Promise<void> | undefined;
  #isClosed = false;

  /** Runs `cleanup` when the scope ends. */
  defer(cleanup: () => unknown): void {
    if (this.#isClosed) {
      void Promise.resolve(cleanup());
      throw new HermesError("A scope that has ended was given something to own.", { code: "scope_closed" });
    }
    this.#cleanups.push(cleanup);
  }

  /** Disposes `resource` when the scope ends, and hands it back. */
  adopt<T extends Disposable | AsyncDisposable>(resource: T): T {
    this.defer(() => (Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose]()));
    return resource;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const errors: unknown[] = [];
    for (let cleanup = this.#cleanups.pop(); cleanup !== undefined; cleanup = this.#cleanups.pop()) {
      try {
        await cleanup();
      } catch (error) {
        errors.push(error);
      }
    }
    this.#isClosed = true;
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} parts failed to close`);
  }
}

/** Wraps a clean-up function; it runs at most once, whichever way it is disposed. */
export function disposable(cleanup: () => unknown): Disposable & AsyncDisposable {
  let outcome: { readonly value: unknown } | undefined;
  const run = (): unknown => {
    outcome ??= { value: cleanup() };
    return outcome.value;
  };
  return {
    [Symbol.dispose]() {
      run();
    },
    async [Symbol.asyncDispose]() {
      await run();
    },
  };
}
