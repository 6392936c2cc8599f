import { type AssistantMessage, callsOf, type Message, type ToolMessage, toolMessage } from "./message.ts";
import type { ToolCall } from "./tool-call.ts";

/**
 * The invariants of a message list.
 *
 * 1. User and assistant messages alternate; only tool messages may follow one another.
 * 2. An assistant message with calls is followed by exactly one tool message per call.
 * 3. A tool message answers a call of the assistant message before it.
 */

/** The calls of the last assistant message that have no result yet. */
export function openCalls(messages: readonly Message[]): readonly ToolCall[] {
  const answered = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === "tool") answered.add(message.tool_call_id);
    else if (message?.role === "assistant") return callsOf(message).filter((call) => !answered.has(call.id));
    else return [];
  }
  return [];
}

/** One result per open call, saying why there is no real one; append them to make the list whole. */
export function settle(messages: readonly Message[], why: string): readonly ToolMessage[] {
  return openCalls(messages).map((call) => toolMessage(call, why));
}

export function lastAssistant(messages: readonly Message[]): AssistantMessage | undefined {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === "assistant") return message;
  }
  return undefined;
}

export interface Violation {
  readonly index: number;
  readonly rule:
    | "alternation"
    | "starts-with-user"
    | "unanswered-call"
    | "orphan-result"
    | "duplicate-result"
    | "empty";
  readonly detail: string;
}

/** Everything that is wrong with a list, in order; a valid list gives none. Open calls at the very end count. */
export function violations(messages: readonly Message[]): readonly Violation[] {
  const found: Violation[] = [];
  let open = new Map<string, boolean>();
  let openAt = -1;
  let previous: Message["role"] | undefined;
  const closeCalls = (): void => {
    for (const [id, answered] of open)
      if (!answered) found.push({ index: openAt, rule: "unanswered-call", detail: `call ${id} has no result` });
    open = new Map();
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const answered = open.get(message.tool_call_id);
      if (answered === undefined)
        found.push({ index, rule: "orphan-result", detail: `no call ${message.tool_call_id} before this result` });
      else if (answered)
        found.push({ index, rule: "duplicate-result", detail: `call ${message.tool_call_id} was answered already` });
      else open.set(message.tool_call_id, true);
    } else {
      closeCalls();
      if (previous === undefined && message.role !== "user")
        found.push({ index, rule: "starts-with-user", detail: `the list starts with ${message.role}` });
      if (previous === message.role)
        found.push({ index, rule: "alternation", detail: `${message.role} follows ${message.role}` });
      if (message.role === "user" && typeof message.content !== "string" && message.content.length === 0)
        found.push({ index, rule: "empty", detail: "a user message without parts" });
      if (message.role === "assistant" && callsOf(message).length > 0) {
        openAt = index;
        open = new Map(callsOf(message).map((call) => [call.id, false]));
      }
    }
    previous = message.role;
  }
  closeCalls();
  return found;
}

export function isValid(messages: readonly Message[]): boolean {
  return violations(messages).length === 0;
}
