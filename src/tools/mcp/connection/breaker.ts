import type { Clock } from "#foundation/time/clock";

const failuresToOpen = 3;
const openMs = 60_000;

export type BreakerState =
  | { readonly kind: "closed" }
  /** Calls are refused until the time is up; then one is let through to see. */
  | { readonly kind: "open"; readonly waitMs: number };

/**
 * Keeps a model from waiting again and again for a server that does not answer. Only failures of the
 * connection count; an error the tool itself reports is an answer.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  #failures = 0;
  #openUntilMs: number | undefined;
  #isProbing = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asked before each call. While open, exactly one call passes once the time is up. */
  enter(): BreakerState {
    if (this.#openUntilMs === undefined) return { kind: "closed" };
    const waitMs = this.#openUntilMs - this.#clock.now();
    if (waitMs > 0) return { kind: "open", waitMs };
    if (this.#isProbing) return { kind: "open", waitMs: 1_000 };
    this.#isProbing = true;
    return { kind: "closed" };
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openUntilMs = undefined;
    this.#isProbing = false;
  }

  failed(): void {
    this.#failures += 1;
    const reopens = this.#isProbing;
    this.#isProbing = false;
    if (this.#failures >= failuresToOpen || reopens) this.#openUntilMs = this.#clock.now() + openMs;
  }

  /** The call ended without saying anything about the connection (the user stopped it). */
  abandoned(): void {
    this.#isProbing = false;
  }
}
