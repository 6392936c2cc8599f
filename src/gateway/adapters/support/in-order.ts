/**
 * Takes what a service delivers, one after the other. After something that could not be taken nothing is taken any
 * more: the line is made again, and the service delivers again from there. So nothing is overtaken by what came later.
 */
export class InOrder {
  readonly #onFailure: (error: unknown) => void;
  #taken: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  take(one: () => Promise<void> | void): void {
    this.#taken = this.#taken
      .then(() => (this.#hasFailed ? undefined : one()))
      .catch((error: unknown) => {
        this.#hasFailed = true;
        this.#onFailure(error);
      });
  }

  /** Settles when all that was delivered so far was taken, or given up. */
  get settled(): Promise<void> {
    return this.#taken;
  }
}
