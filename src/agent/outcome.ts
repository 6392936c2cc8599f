import type { AssistantMessage, ExitReason } from "#conversation";
import type { ModelFailure } from "#model";

/** How a turn ended; the shape is the same for every ending. */
export interface TurnOutcome {
  readonly exitReason: ExitReason;
  /** Visible words for the user; undefined when there are none. */
  readonly text?: string;
  /** One line saying what went wrong. */
  readonly error?: string;
  /** The failure's kind, as the classifier names it. */
  readonly errorClass?: string;
  /** Goes into the transcript as the turn's last message, where nothing has been recorded for it yet. */
  readonly reply?: AssistantMessage;
  /** What no remedy could treat. */
  readonly failure?: ModelFailure;
  /** Overflow that compression could not cure. */
  readonly isCompressionExhausted?: boolean;
}

interface Flags {
  readonly completed: boolean;
  readonly partial: boolean;
  readonly failed: boolean;
  readonly interrupted: boolean;
}

const natural: Flags = { completed: true, partial: false, failed: false, interrupted: false };
const partial: Flags = { completed: false, partial: true, failed: false, interrupted: false };
const failed: Flags = { completed: false, partial: false, failed: true, interrupted: false };
const interrupted: Flags = { completed: false, partial: false, failed: false, interrupted: true };
const overflowed: Flags = { completed: false, partial: true, failed: true, interrupted: false };

const flags: Readonly<Record<ExitReason, Flags>> = {
  text_response: natural,
  fallback_prior_turn_content: natural,
  max_iterations_reached: partial,
  length_truncated: partial,
  truncated_tool_call: partial,
  thinking_budget_exhausted: partial,
  incomplete_reasoning: partial,
  responses_incomplete: partial,
  invalid_tool_calls: partial,
  empty_response_exhausted: partial,
  partial_stream_recovery: partial,
  loop_detected: partial,
  budget_exceeded: partial,
  interrupted_by_user: interrupted,
  interrupted_during_api_call: interrupted,
  interrupted_during_retry: interrupted,
  invalid_response: failed,
  api_retries_exhausted: failed,
  rate_limited: failed,
  non_retryable_error: failed,
  internal_error: failed,
  context_overflow: overflowed,
  payload_too_large: overflowed,
};

/** What each ending means, in the words of the result object. */
export function flagsOf(exitReason: ExitReason): Flags {
  return flags[exitReason];
}
