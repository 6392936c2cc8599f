import type { ExitReason } from "./agent-event.ts";
import type { SessionId } from "./ids.ts";
import type { Message } from "./message.ts";
import { type Cost, type Usage, zeroUsage } from "./usage.ts";

/** How a turn ended and what it took; the same shape for every ending and on every floor. */
export interface TurnResult extends ExitFlags {
  readonly sessionId: SessionId;
  /** Visible words for the user. */
  readonly text: string | undefined;
  readonly exitReason: ExitReason;
  /** One line saying what went wrong. */
  readonly error: string | undefined;
  /** The kind of the failure, as the classifier names it. */
  readonly errorClass: string | undefined;
  /** The same as a word that programs rely on; undefined where the kind is one. */
  readonly errorCode: string | undefined;
  readonly model: string;
  readonly provider: string;
  readonly baseUrl: string;
  /** Another model than the chosen one answered. */
  readonly fallbackUsed: boolean;
  readonly apiCalls: number;
  /** Of this turn alone; the session knows its own sums. */
  readonly usage: Usage;
  readonly cost: Cost | undefined;
  /** Tokens of the last prompt: how full the context is. */
  readonly contextTokens: number;
  readonly toolCalls: readonly TurnToolCall[];
  /** The whole transcript of the session after this turn. */
  readonly messages: readonly Message[];
  /** The model's thinking before its last words. */
  readonly reasoning: string | undefined;
  /** The text was streamed already. */
  readonly wasPreviewed: boolean;
  /** The context overflowed and compression could not help. */
  readonly isCompressionExhausted: boolean;
  /** What whoever interrupted had to say. */
  readonly interruptMessage: string | undefined;
  /** Guidance that came too late for this turn. */
  readonly pendingSteer: string | undefined;
}

export interface TurnToolCall {
  readonly name: string;
  readonly ok: boolean;
  readonly durationMs: number;
}

interface ExitFlags {
  readonly completed: boolean;
  /** There is something, but not all of it. */
  readonly partial: boolean;
  readonly failed: boolean;
  readonly interrupted: boolean;
}

const natural: ExitFlags = { completed: true, partial: false, failed: false, interrupted: false };
const partial: ExitFlags = { completed: false, partial: true, failed: false, interrupted: false };
const failed: ExitFlags = { completed: false, partial: false, failed: true, interrupted: false };
const interrupted: ExitFlags = { completed: false, partial: false, failed: false, interrupted: true };
const overflowed: ExitFlags = { completed: false, partial: true, failed: true, interrupted: false };

const flags: Readonly<Record<ExitReason, ExitFlags>> = {
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

/** What each ending means. */
export function flagsOf(exitReason: ExitReason): ExitFlags {
  return flags[exitReason];
}

type UnstartedFacts = Pick<TurnResult, "sessionId" | "model" | "provider" | "baseUrl" | "messages"> & {
  readonly error: string;
  readonly errorClass: string;
};

/** A turn that could not begin: no call was made. */
export function unstartedTurn(facts: UnstartedFacts): TurnResult {
  return {
    ...failed,
    ...facts,
    text: undefined,
    exitReason: "internal_error",
    errorCode: undefined,
    fallbackUsed: false,
    apiCalls: 0,
    usage: zeroUsage,
    cost: undefined,
    contextTokens: 0,
    toolCalls: [],
    reasoning: undefined,
    wasPreviewed: false,
    isCompressionExhausted: false,
    interruptMessage: undefined,
    pendingSteer: undefined,
  };
}

/** The document of `--json`: names that programs rely on. */
export function turnDocument(result: TurnResult): Readonly<Record<string, unknown>> {
  const { usage, cost, error } = result;
  return {
    schema_version: 1,
    session_id: result.sessionId,
    final_response: result.text ?? null,
    completed: result.completed,
    failed: result.failed,
    interrupted: result.interrupted,
    exit_reason: result.exitReason,
    ...(error === undefined
      ? {}
      : { error: { code: result.errorCode ?? result.errorClass ?? "failed", message: error } }),
    model: result.model,
    provider: result.provider,
    fallback_used: result.fallbackUsed,
    api_calls: result.apiCalls,
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_read_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      reasoning_tokens: usage.reasoning,
      ...(usage.isEstimated === true ? { estimated: true } : {}),
    },
    cost: { amount_usd: cost?.usd ?? null, status: cost?.status ?? "unknown", source: cost?.source ?? "none" },
    tool_calls: result.toolCalls.map(({ name, ok, durationMs }) => ({ name, ok, duration_ms: durationMs })),
  };
}
