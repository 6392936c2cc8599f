/**
 * How many steps a turn may take. The only limiter there is: a refund really extends the run, and a
 * hard stop at twice the limit in model calls keeps retries from running away.
 */
export class StepBudget {
  readonly limit: number;
  #used = 0;
  #taken = 0;
  #calls = 0;

  constructor(limit: number) {
    this.limit = Math.max(1, Math.floor(limit));
  }

  /** Begins a step; false when none is left. */
  take(): boolean {
    if (this.#used >= this.limit || this.#calls >= this.limit * 2) return false;
    this.#used += 1;
    this.#taken += 1;
    return true;
  }

  /** A step that only ran scripts, or was restarted by compression, does not count. */
  refund(): void {
    this.#used = Math.max(0, this.#used - 1);
  }

  /** Counts every model call, retries included; false when the safety stop is reached. */
  countCall(): boolean {
    this.#calls += 1;
    return this.#calls <= this.limit * 2;
  }

  /** Steps begun in this turn, refunded ones included. */
  get taken(): number {
    return this.#taken;
  }

  get left(): number {
    return this.limit - this.#used;
  }
}
