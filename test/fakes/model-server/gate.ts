/** Lets slow replies take one step per released permit, first come first served. */
export class Gate {
  #permits = 0;
  readonly #waiting: (() => void)[] = [];

  release(steps: number): void {
    this.#permits += steps;
    while (this.#permits > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#permits -= 1;
      next();
    }
  }

  /** Resolves with false when the client left first; its place in the queue is given up. */
  pass(left: AbortSignal): Promise<boolean> {
    if (left.aborted) return Promise.resolve(false);
    if (this.#permits > 0) {
      this.#permits -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const enter = (): void => {
        left.removeEventListener("abort", leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        resolve(false);
      };
      left.addEventListener("abort", leave, { once: true });
      this.#waiting.push(enter);
    });
  }
}
