/** How far refunds may stretch a turn beyond its limit. */
const safetyFactor = 2;
const none = { stepsTaken: 0, stepsFree: 0 };

/**
 * How many steps a turn may take. The only limiter there is: a refund really extends the run, up to a
 * hard stop at twice the limit. Attempts within a step are bounded by the remedies that ask for them.
 */
export class StepBudget {
  readonly limit: number;
  #used = 0;
  #taken = 0;

  /** `spent`: what an earlier process took of the same turn. */
  constructor(limit: number, spent: { readonly stepsTaken: number; readonly stepsFree: number } = none) {
    this.limit = Math.max(1, Math.floor(limit));
    this.#taken = spent.stepsTaken;
    this.#used = spent.stepsTaken - spent.stepsFree;
  }

  /** Begins a step; false when none is left. */
  take(): boolean {
    if (this.#used >= this.limit || this.#taken >= this.limit * safetyFactor) return false;
    this.#used += 1;
    this.#taken += 1;
    return true;
  }

  /** A step that only ran scripts does not count. */
  refund(): void {
    this.#used = Math.max(0, this.#used - 1);
  }

  /** Steps begun in this turn, refunded ones included. */
  get taken(): number {
    return this.#taken;
  }

  get left(): number {
    return this.limit - this.#used;
  }
}
