import type { ModelFailure } from "../failures/failure.ts";

/** When a failure leads to the next model of the chain. */
export type FallbackTiming =
  | { readonly kind: "now" }
  /** The server asked for so little patience that switching costs more. */
  | { readonly kind: "wait-first"; readonly waitMs: number }
  | { readonly kind: "after-retries" }
  | { readonly kind: "never" };

export interface TimingFacts {
  readonly hasFallbackLeft: boolean;
  /** Another credential of the same provider can be used instead. */
  readonly canRotate: boolean;
  /** `fallback.on_rate_limit`. */
  readonly onRateLimit: "eager" | "after_retries";
  /** Attempts of this call that have failed; counts from 1. */
  readonly attempt: number;
}

const shortWaitMs = 5_000;

export function fallbackTiming(failure: ModelFailure, facts: TimingFacts): FallbackTiming {
  if (!failure.mayFallBack || !facts.hasFallbackLeft) return { kind: "never" };
  if (failure.kind === "rate_limit" || failure.kind === "billing") return timingOfLimit(failure, facts);
  // Nothing at this address will be there a second later either.
  if (failure.status === 404) return { kind: "now" };
  return failure.isRetryable ? { kind: "after-retries" } : { kind: "now" };
}

function timingOfLimit(failure: ModelFailure, facts: TimingFacts): FallbackTiming {
  if (facts.canRotate && failure.mayRotate) return { kind: "after-retries" };
  if (failure.kind === "billing") return { kind: "now" };
  const { retryAfterMs } = failure;
  if (retryAfterMs !== undefined && retryAfterMs <= shortWaitMs && facts.attempt === 1)
    return { kind: "wait-first", waitMs: retryAfterMs };
  return facts.onRateLimit === "eager" ? { kind: "now" } : { kind: "after-retries" };
}
