import { type ChildStatus, type ExitReason, promptTokens, type TurnResult } from "#conversation";
import type { Conversation } from "../conversation.ts";
import type { ChildRecord, TraceEntry } from "./child-record.ts";

/** One child's line in the result the parent's model reads. */
export interface ChildEntry {
  readonly task_index: number;
  readonly status: ChildStatus;
  readonly summary: string | null;
  readonly api_calls: number;
  readonly duration_seconds: number;
  readonly model: string;
  /** The child's real ending; without one, the status in its place. */
  readonly exit_reason: ExitReason | ChildStatus;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly tool_trace: readonly TraceEntry[];
  readonly error: string | null;
}

/** How the work on a child ended, as far as anyone waited for it. */
export type ChildEnding =
  | { readonly kind: "ended"; readonly result: TurnResult }
  | { readonly kind: "broken"; readonly error: string }
  /** It was told to stop and did not in time, or was never started. */
  | { readonly kind: "left" };

/** Why a child was told to stop. */
export type StopCause = { readonly kind: "timeout"; readonly afterMs: number } | { readonly kind: "interrupted" };

export interface EntryFacts {
  readonly taskIndex: number;
  readonly conversation: Conversation;
  readonly record: ChildRecord;
  readonly ending: ChildEnding;
  readonly stopped?: StopCause;
  readonly durationMs: number;
}

/** Endings whose words are the child's own report; the words of the others only say what went wrong. */
const reported: ReadonlySet<ExitReason> = new Set([
  "text_response",
  "fallback_prior_turn_content",
  "max_iterations_reached",
  "length_truncated",
  "responses_incomplete",
  "partial_stream_recovery",
]);

/** Pure. */
export function childEntry(facts: EntryFacts): ChildEntry {
  const { conversation, record, ending } = facts;
  const status = statusOf(facts);
  const text = ending.kind === "ended" ? (ending.result.text ?? "").trim() : "";
  return {
    task_index: facts.taskIndex,
    status,
    summary: text === "" ? null : text,
    api_calls: ending.kind === "ended" && status !== "timeout" ? ending.result.apiCalls : record.replies,
    duration_seconds: Math.round(facts.durationMs / 100) / 10,
    model: conversation.target.model,
    exit_reason: ending.kind === "ended" ? ending.result.exitReason : status,
    tokens: { input: promptTokens(conversation.usage), output: conversation.usage.output },
    tool_trace: record.trace,
    error: status === "completed" ? null : errorOf(facts, status),
  };
}

function statusOf({ ending, stopped }: EntryFacts): ChildStatus {
  if (ending.kind === "ended" && isUsable(ending.result)) return "completed";
  if (stopped !== undefined) return stopped.kind;
  if (ending.kind !== "ended") return ending.kind === "broken" ? "error" : "interrupted";
  const { result } = ending;
  if (result.interrupted) return "interrupted";
  return result.exitReason === "internal_error" ? "error" : "failed";
}

function isUsable(result: TurnResult): boolean {
  return reported.has(result.exitReason) && (result.text ?? "").trim() !== "";
}

function errorOf({ ending, stopped, record }: EntryFacts, status: ChildStatus): string {
  if (stopped?.kind === "timeout") {
    const where = record.currentTool === undefined ? "" : `, inside ${record.currentTool}`;
    return `Stopped after ${Math.round(stopped.afterMs / 1000)} s, the time for one child (delegation.child_timeout_seconds), at step ${record.step}${where}.`;
  }
  if (ending.kind === "broken") return ending.error;
  if (status === "interrupted") return "Interrupted before it had finished.";
  if (ending.kind === "ended" && ending.result.error !== undefined) return ending.result.error;
  return "It ended without a report.";
}
