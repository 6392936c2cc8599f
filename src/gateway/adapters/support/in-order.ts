/**
 * Takes what a service delivers, one after the other. After something that could not be taken nothing is taken any
 * more: the line is made again, and the service delivers again from there. So nothing is overtaken by what came later.
 */
export class InOrder {
  readonly #onFailure: (error: unknown) => void;
  #taken: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasFailed = false;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  take(one: () => Promise<void> | void): void {
    this.#waiting += 1;
    this.#taken = this.#taken
      .then(() => {
        this.#waiting -= 1;
        return this.#hasFailed ? undefined : one();
      })
      .catch((error: unknown) => {
        this.#hasFailed = true;
        this.#onFailure(error);
      });
  }

  /** How many were delivered whose turn has not come. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Settles when all that was delivered so far was taken, or given up. */
  get settled(): Promise<void> {
    return this.#taken;
  }
}
