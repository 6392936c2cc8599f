import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { type Message, recoveryWords, type TodoItem, textOf } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";
import type { SessionEvent } from "#session";
import { fenced, resultContent, textContent, toolCall } from "./tool-call.ts";

export interface UpdateContext {
  readonly cwd: string;
  /** The editor shows notices apart; elsewhere they stand in the answer, if they matter there. */
  readonly takesNotices: boolean;
}

/** What an editor is told of an event; mostly one thing, or nothing. */
export function updatesOf(event: SessionEvent, context: UpdateContext): readonly SessionUpdate[] {
  switch (event.type) {
    case "text-delta":
      return [words("agent_message_chunk", event.text)];
    case "message-end":
      return event.wasStreamed || event.message.content === ""
        ? []
        : [words("agent_message_chunk", event.message.content)];
    case "reasoning-delta":
      return [words("agent_thought_chunk", event.text)];
    case "tool-start":
      return [{ sessionUpdate: "tool_call", status: "in_progress", ...toolCall(event, context.cwd) }];
    case "tool-update":
      return [
        { sessionUpdate: "tool_call_update", toolCallId: event.callId, content: [textContent(fenced(event.text))] },
      ];
    case "tool-end":
      return toolEnd(event, context);
    case "usage": {
      const { usd } = event.cost;
      const cost = usd === undefined ? null : { amount: usd, currency: "USD" };
      return [{ sessionUpdate: "usage_update", used: event.contextTokens, size: event.contextWindow, cost }];
    }
    case "notice":
      return notice(event, context);
    case "target-change":
      return notice(
        { level: "warn", text: `${event.model} (${event.provider}) answers now: ${event.reason}` },
        context,
      );
    case "recovery-start":
      return context.takesNotices ? notice({ level: "info", text: recoveryWords(event) }, context) : [];
    case "compression-start":
      return context.takesNotices
        ? notice({ level: "info", text: "The conversation is being compressed." }, context)
        : [];
    default:
      return [];
  }
}

function toolEnd(
  event: Extract<SessionEvent, { readonly type: "tool-end" }>,
  { cwd }: UpdateContext,
): readonly SessionUpdate[] {
  const update: SessionUpdate = {
    sessionUpdate: "tool_call_update",
    toolCallId: event.callId,
    status: event.isError ? "failed" : "completed",
    content: resultContent(event, cwd),
    rawOutput: event.details,
  };
  return event.details?.kind === "todos" ? [update, planUpdate(event.details.todos)] : [update];
}

function planUpdate(todos: readonly TodoItem[]): SessionUpdate {
  const entries = todos.flatMap(({ content, status }): PlanEntry[] =>
    status === "cancelled" ? [] : [{ content, status, priority: "medium" }],
  );
  return { sessionUpdate: "plan", entries };
}

/** Where notices have no place of their own, only what went wrong is worth a line of the answer. */
function notice(
  { level, text }: { readonly level: "info" | "warn" | "error"; readonly text: string },
  { takesNotices }: UpdateContext,
): readonly SessionUpdate[] {
  if (takesNotices) return [{ sessionUpdate: "notice", severity: level === "warn" ? "warning" : level, title: text }];
  return level === "info" ? [] : [words("agent_message_chunk", `\n\n> ${text.replaceAll("\n", "\n> ")}\n\n`)];
}

export function words(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

/** A stored conversation, as the updates it would have been. */
export function replayOf(history: readonly Message[], cwd: string): readonly SessionUpdate[] {
  return history.flatMap((message): SessionUpdate[] => {
    if (message.role === "user") {
      const images = typeof message.content === "string" ? [] : message.content.flatMap(imageUpdate);
      const text = textOf(message.content);
      return [...(text === "" ? [] : [words("user_message_chunk", text)]), ...images];
    }
    if (message.role === "tool") {
      const { tool_call_id: toolCallId, tool_name: name } = message;
      const content = resultContent({ name, result: textOf(message.content) }, cwd);
      return [{ sessionUpdate: "tool_call_update", toolCallId, status: "completed", content }];
    }
    return [
      ...(message.reasoning ? [words("agent_thought_chunk", message.reasoning)] : []),
      ...(message.content === "" ? [] : [words("agent_message_chunk", message.content)]),
      ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: written } }): SessionUpdate => {
        const parsed = parseJson(written);
        const args = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
        return { sessionUpdate: "tool_call", status: "in_progress", ...toolCall({ callId: id, name, args }, cwd) };
      }),
    ];
  });
}

function imageUpdate(part: { readonly type: string; readonly image_url?: { readonly url: string } }): SessionUpdate[] {
  const [, mimeType, data] = /^data:([\w/.+-]+);base64,(.+)$/s.exec(part.image_url?.url ?? "") ?? [];
  if (mimeType === undefined || data === undefined) return [];
  return [{ sessionUpdate: "user_message_chunk", content: { type: "image", mimeType, data } }];
}
