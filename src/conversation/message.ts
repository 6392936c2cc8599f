import type { Content } from "./content.ts";
import type { ToolCall } from "./tool-call.ts";

/**
 * The messages of a session, in the shape that is stored, exported and shared by every subsystem
 * (chat-completions field names, snake_case). Wire protocols convert at the edge.
 *
 * 1. `uid` identifies a message for ever; the store writes one uid once.
 * 2. Names starting with `_` are internal: never stored, never sent.
 * 3. Opaque fields (`reasoning_details`, `codex_*`, `extra_content`) are replayed as they came.
 * 4. `sent`, `origin` and `untrusted` are for building requests and for judging what follows: stored, but no part of logs,
 *    exports or training data.
 */
/** How a message goes out in requests, where that is not what it says. */
export interface SentForm {
  /** In the place of the content: a skill's whole text, a long result in one line. */
  readonly content?: Content;
  /** Behind the content: recalled memory, words of plugins. */
  readonly suffix?: string;
  /** In the place of the calls: the same with shorter arguments. */
  readonly tool_calls?: readonly ToolCall[];
}

/** Who gave a reply, and how full the context was then. */
export interface ReplyOrigin {
  readonly by: string;
  /** What the provider counted, and for how many messages; absent once that says nothing about the next request. */
  readonly counted?: { readonly tokens: number; readonly messages: number };
  /** What estimates are multiplied with to match the provider's counts. */
  readonly scale: number;
}

interface MessageBase {
  readonly uid?: string;
  /** Unix time in seconds, as existing databases store it. */
  readonly timestamp?: number;
  /** Stored with the message, so that a session that is taken up again sends the same bytes; not for people. */
  readonly sent?: SentForm;
  /** Holds words of strangers: where they came from. As long as such a message is in the context, nothing lasting is written unasked. */
  readonly untrusted?: string;
  /** Added by Hermes to steer the model; removed before the turn is stored for good. */
  readonly _scaffold?: boolean;
}

/** Exists in request copies only; a transcript holds no system message. */
export interface SystemMessage extends MessageBase {
  readonly role: "system";
  readonly content: Content;
}

export interface UserMessage extends MessageBase {
  readonly role: "user";
  readonly content: Content;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "incomplete" | "content_filter" | "interrupted" | "error";

export interface AssistantMessage extends MessageBase {
  readonly role: "assistant";
  /** Visible text, reasoning tags already removed; may be empty. */
  readonly content: string;
  readonly tool_calls?: readonly ToolCall[];
  /** Reasoning as plain text for people and storage; never sent under this name. */
  readonly reasoning?: string | null;
  /** The provider's own reasoning field; sent back as it came, also when empty. */
  readonly reasoning_content?: string;
  /** Signed blocks; sent back untouched. */
  readonly reasoning_details?: readonly unknown[];
  /** Encrypted reasoning items of the Responses wire. */
  readonly codex_reasoning_items?: readonly unknown[];
  /** Exact message items of the Responses wire (id, phase, status). */
  readonly codex_message_items?: readonly unknown[];
  readonly finish_reason?: FinishReason;
  readonly origin?: ReplyOrigin;
  readonly _thinking_prefill?: boolean;
}

export interface ToolMessage extends MessageBase {
  readonly role: "tool";
  readonly content: Content;
  readonly tool_call_id: string;
  readonly tool_name: string;
}

/** What a transcript is made of. */
export type Message = UserMessage | AssistantMessage | ToolMessage;
/** What a request is made of. */
export type RequestMessage = SystemMessage | Message;

export function userMessage(content: Content, extra: Partial<UserMessage> = {}): UserMessage {
  return { role: "user", content, ...extra };
}

export function assistantMessage(content: string, extra: Partial<AssistantMessage> = {}): AssistantMessage {
  return { role: "assistant", content, ...extra };
}

export function toolMessage(call: ToolCall, content: Content, extra: Partial<ToolMessage> = {}): ToolMessage {
  return { role: "tool", content, tool_call_id: call.id, tool_name: call.function.name, ...extra };
}

export function systemMessage(content: Content): SystemMessage {
  return { role: "system", content };
}

/** The message as people and other programs get it. */
export function wordsOf(message: Message): Message {
  if (message.role !== "assistant") {
    const { sent: _sent, untrusted: _untrusted, ...words } = message;
    return words;
  }
  const { sent: _sent, origin: _origin, untrusted: _untrusted, ...words } = message;
  return words;
}

/** Where the first words of strangers among these messages came from; undefined when there are none. */
export function untrustedIn(messages: readonly Message[]): string | undefined {
  return messages.find(({ untrusted }) => untrusted !== undefined)?.untrusted;
}

export function callsOf(message: RequestMessage): readonly ToolCall[] {
  return message.role === "assistant" ? (message.tool_calls ?? []) : [];
}
