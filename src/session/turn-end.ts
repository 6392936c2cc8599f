import type { TurnResult } from "#agent";
import { type SessionId, zeroUsage } from "#conversation";
import type { TurnEnd } from "./api.ts";
import type { UsageRecord } from "./usage-record.ts";

/** What a surface learns of a turn that is over. The figures are those of this turn alone. */
export function turnEndOf(result: TurnResult, record: UsageRecord): TurnEnd {
  return {
    sessionId: result.session_id as SessionId,
    text: result.final_response ?? undefined,
    exitReason: result.exit_reason,
    completed: result.completed,
    failed: result.failed,
    interrupted: result.interrupted,
    error: result.error ?? undefined,
    errorClass: result.error_class ?? undefined,
    model: result.model,
    provider: result.provider,
    fallbackUsed: record.fallbackUsed,
    apiCalls: result.api_calls,
    usage: record.usage,
    cost: record.cost,
    toolCalls: record.toolCalls,
  };
}

/** A turn that could not begin. */
export function failedEnd(facts: {
  readonly sessionId: SessionId;
  readonly error: string;
  readonly errorClass: string;
  readonly model: string;
  readonly provider: string;
}): TurnEnd {
  return {
    ...facts,
    text: undefined,
    exitReason: "internal_error",
    completed: false,
    failed: true,
    interrupted: false,
    fallbackUsed: false,
    apiCalls: 0,
    usage: zeroUsage,
    cost: undefined,
    toolCalls: [],
  };
}
