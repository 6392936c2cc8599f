type Outcome<T> = { readonly kind: "reached"; readonly value: T } | { readonly kind: "missed"; readonly error: Error };

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** Numbered events that a test can wait for, before or after they happen. Nobody waiting means nothing is rejected. */
export class Milestones<T> {
  readonly #outcomes = new Map<number, Outcome<T>>();
  readonly #waiters = new Map<number, Waiter<T>[]>();
  #closed: Error | undefined;

  reach(number: number, value: T): void {
    this.#settle(number, { kind: "reached", value });
  }

  /** It can no longer happen. */
  miss(number: number, error: Error): void {
    this.#settle(number, { kind: "missed", error });
  }

  wait(number: number): Promise<T> {
    const outcome = this.#outcomes.get(number);
    if (outcome?.kind === "reached") return Promise.resolve(outcome.value);
    if (outcome?.kind === "missed") return Promise.reject(outcome.error);
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise<T>((resolve, reject) => {
      this.#waiters.set(number, [...(this.#waiters.get(number) ?? []), { resolve, reject }]);
    });
  }

  close(error: Error): void {
    this.#closed = error;
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.reject(error);
    this.#waiters.clear();
  }

  #settle(number: number, outcome: Outcome<T>): void {
    if (this.#outcomes.has(number)) return;
    this.#outcomes.set(number, outcome);
    for (const waiter of this.#waiters.get(number) ?? []) {
      if (outcome.kind === "reached") waiter.resolve(outcome.value);
      else waiter.reject(outcome.error);
    }
    this.#waiters.delete(number);
  }
}
