import { defined } from "#foundation/defined";
import { backoffMs } from "#foundation/time/retry";
import type { ModelFailure } from "./failure.ts";

/** The longest a server can make one attempt wait; a longer announcement is a reason to go elsewhere. */
const longestAskedMs = 120_000;
/** Room kept between what the provider says is left and what is asked for; its count and ours differ a little. */
const outputMargin = 64;

export interface RetryDelayOptions {
  /** Counts from 1. */
  readonly attempt: number;
  readonly random?: () => number;
}

/**
 * The wait before the same request is sent again. What the server asked for wins, for rate limits
 * and overload only; otherwise the wait doubles, and malformed answers wait longer than errors.
 */
export function retryDelayMs(failure: ModelFailure, options: RetryDelayOptions): number {
  const asked = mayAsk(failure) ? failure.retryAfterMs : undefined;
  if (asked !== undefined) return Math.min(asked, longestAskedMs);
  const random = defined({ random: options.random });
  const isMalformed = failure.kind === "invalid_response";
  const range = isMalformed ? { baseMs: 5_000, maxMs: 120_000 } : { baseMs: 2_000, maxMs: 60_000 };
  return backoffMs(options.attempt, { ...range, jitter: 0.5, ...random });
}

function mayAsk(failure: ModelFailure): boolean {
  return failure.kind === "rate_limit" || failure.kind === "overloaded";
}

/** The output limit to send after the provider refused a larger one; undefined when it did not say what fits. */
export function fittingOutputTokens(failure: ModelFailure): number | undefined {
  const { availableOutputTokens: available } = failure;
  if (failure.kind !== "output_cap_too_large" || available === undefined) return undefined;
  return Math.max(1, available - outputMargin);
}
