import { assistantMessage, callsOf, type Message, openCalls, type ToolCall, textOf } from "#conversation";
import type { Tool } from "#tools";
import { isSummaryOnly, latestRequest, stripSummary } from "./summary-message.ts";

/** A turn that ended before the model's last word: a crash, a lost connection, a provider that gave up. */
export interface UnfinishedTurn {
  readonly userUid: string;
  readonly userText: string;
  /** Replies there are; those that only ran scripts are free. */
  readonly stepsTaken: number;
  readonly stepsFree: number;
  /** Calls of the last reply without a result. */
  readonly openCalls: readonly ToolCall[];
}

/** The turn a history breaks off in; undefined when the model has said its last word. */
export function unfinishedTurn(
  history: readonly Message[],
  tools: ReadonlyMap<string, Tool> = new Map(),
): UnfinishedTurn | undefined {
  const last = history.at(-1);
  if (last === undefined || (last.role === "assistant" && callsOf(last).length === 0)) return undefined;
  const at = latestRequest(history);
  const request = at === undefined ? undefined : history[at];
  if (at === undefined || request?.uid === undefined) return undefined;
  const replies = history.slice(at + 1).flatMap((message) => (message.role === "assistant" ? [callsOf(message)] : []));
  const answered = openCalls(history).length > 0 ? replies.slice(0, -1) : replies;
  return {
    userUid: request.uid,
    userText: textOf(stripSummary(request.content)),
    stepsTaken: replies.length,
    stepsFree: answered.filter((calls) => costNoStep(calls, tools)).length,
    openCalls: openCalls(history),
  };
}

const unanswered = "(no answer: the turn ended before there was one)";

/**
 * What stands between a turn that failed or was abandoned and the next message of the person, so that two requests do
 * not become one; nothing where the model had begun to work on it.
 */
export function unansweredReply(history: readonly Message[]): readonly Message[] {
  const last = history.at(-1);
  const isOpen = last?.role === "user" && !isSummaryOnly(last);
  return isOpen ? [assistantMessage(unanswered, { finish_reason: "error" })] : [];
}

/** A step that only ran scripts does not count: a script does the work of many calls. */
export function costNoStep(calls: readonly ToolCall[], tools: ReadonlyMap<string, Tool>): boolean {
  return calls.length > 0 && calls.every((call) => tools.get(call.function.name)?.costsNoStep === true);
}
