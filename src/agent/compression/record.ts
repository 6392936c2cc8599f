import type { SessionId } from "#conversation";
import type { SummaryStatus } from "./engine.ts";

export type CompressionTrigger = "preflight" | "in_loop" | "hygiene" | "error" | "manual";

/** How one compression went: a row of `compression_events`. */
export interface CompressionRecord {
  readonly trigger: CompressionTrigger;
  readonly sessionId: SessionId;
  /** Absent when the session was not split. */
  readonly newSessionId?: SessionId;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly tokenSource: "measured" | "estimated";
  readonly savingsPct: number;
  readonly prunedResults: number;
  readonly summaryModel?: string;
  readonly summaryStatus: SummaryStatus;
  readonly summaryTokens: number;
  readonly durationMs: number;
  readonly isPromptReused: boolean;
  readonly changedLayers: readonly string[];
  readonly focusTopic?: string;
  readonly attempt: number;
}

/** The same under the names that are written to the log. */
export function logFields(record: CompressionRecord): Readonly<Record<string, unknown>> {
  return {
    trigger: record.trigger,
    session_id: record.sessionId,
    new_session_id: record.newSessionId ?? null,
    messages_before: record.messagesBefore,
    messages_after: record.messagesAfter,
    tokens_before: record.tokensBefore,
    tokens_after: record.tokensAfter,
    token_source: record.tokenSource,
    savings_pct: record.savingsPct,
    pruned_results: record.prunedResults,
    summary_model: record.summaryModel ?? null,
    summary_status: record.summaryStatus,
    summary_tokens: record.summaryTokens,
    duration_ms: record.durationMs,
    prompt_reused: record.isPromptReused,
    changed_layers: record.changedLayers,
    focus_topic: record.focusTopic ?? null,
    attempt: record.attempt,
  };
}

/** Percent saved, with one decimal; negative when it grew. */
export function savingsPct(before: number, after: number): number {
  return before <= 0 ? 0 : Math.round((1000 * (before - after)) / before) / 10;
}
