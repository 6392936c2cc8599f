import type { Clock } from "#foundation/time/clock";

/** A rate with room for a short burst. What must go waits for its turn; what may be dropped asks first. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #atMs: number;

  constructor(options: { readonly perSecond: number; readonly burst: number }, clock: Clock) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#clock = clock;
    this.#tokens = options.burst;
    this.#atMs = clock.now();
  }

  /** Whether as many as that could go now. */
  has(count = 1): boolean {
    this.#refill();
    return this.#tokens >= count;
  }

  /** Takes one, on credit if need be; how long to wait until it is there. */
  take(): number {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / this.#perSecond) * 1000);
  }

  #refill(): void {
    const nowMs = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#perSecond);
    this.#atMs = nowMs;
  }
}
