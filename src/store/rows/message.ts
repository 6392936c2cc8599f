import { type AssistantMessage, type Content, callsOf, type Message, type SessionId, textOf } from "#conversation";
import { isRecord, scrubSurrogates } from "#foundation/text/json";
import type { Row, SqlValue } from "../database.ts";
import type { StoredMessage } from "../records/message.ts";
import { json, jsonOrNull, maybeNumber, maybeText, millis, number, orNull, text } from "../row.ts";

/**
 * Messages and their rows. A row keeps everything of a message except names that start with `_`:
 * what has no column of its own is in `extra`. Text that a database cannot hold (a zero character, half
 * of a surrogate pair) is stored readable in its column and exactly in `extra`, as JSON escapes it.
 */
export const messageColumns = [
  "session_id",
  "role",
  "content",
  "tool_call_id",
  "tool_calls",
  "tool_name",
  "timestamp",
  "token_count",
  "finish_reason",
  "reasoning",
  "reasoning_details",
  "codex_reasoning_items",
  "reasoning_content",
  "codex_message_items",
  "content_parts",
  "extra",
  "uid",
] as const;

type MessageColumn = (typeof messageColumns)[number];

const exactKey = "$exact";
const ownFields = new Set([
  "role",
  "content",
  "tool_call_id",
  "tool_calls",
  "tool_name",
  "timestamp",
  "finish_reason",
  "reasoning",
  "reasoning_details",
  "codex_reasoning_items",
  "reasoning_content",
  "codex_message_items",
  "uid",
]);

export interface MessageLocation {
  readonly sessionId: SessionId;
  readonly uid: string;
  readonly timestampS: number;
  readonly tokenCount?: number | undefined;
}

export function messageValues(message: Message, location: MessageLocation): readonly SqlValue[] {
  const row = messageRow(message, location);
  return messageColumns.map((column) => row[column]);
}

function messageRow(message: Message, location: MessageLocation): Readonly<Record<MessageColumn, SqlValue>> {
  const exact: Record<string, string> = {};
  const keep = (field: string, value: string | null | undefined): string | null => {
    if (value === undefined || value === null) return null;
    const storable = scrubSurrogates(value).replaceAll("\0", "\ufffd");
    if (storable !== value) exact[field] = value;
    return storable;
  };
  const assistant: Partial<AssistantMessage> = message.role === "assistant" ? message : {};
  const calls = callsOf(message);
  const row = {
    session_id: location.sessionId,
    role: message.role,
    content: keep("content", textOf(message.content)),
    tool_call_id: message.role === "tool" ? keep("tool_call_id", message.tool_call_id) : null,
    tool_calls: calls.length === 0 ? null : JSON.stringify(calls),
    tool_name: message.role === "tool" ? keep("tool_name", message.tool_name) : null,
    timestamp: location.timestampS,
    token_count: orNull(location.tokenCount),
    finish_reason: orNull(assistant.finish_reason),
    reasoning: keep("reasoning", assistant.reasoning),
    reasoning_details: jsonOrNull(assistant.reasoning_details),
    codex_reasoning_items: jsonOrNull(assistant.codex_reasoning_items),
    reasoning_content: keep("reasoning_content", assistant.reasoning_content),
    codex_message_items: jsonOrNull(assistant.codex_message_items),
    content_parts: typeof message.content === "string" ? null : JSON.stringify(message.content),
    uid: location.uid,
  };
  return { ...row, extra: extraOf(message, exact) };
}

/** The column `extra` of a message. */
export function extraValue(message: Message): SqlValue {
  return messageRow(message, { sessionId: "" as SessionId, uid: "", timestampS: 0 }).extra;
}

/** Anything else on the message, and the exact texts. */
function extraOf(message: Message, exact: Readonly<Record<string, string>>): string | null {
  const rest = Object.entries(message).filter(
    ([name, value]) => !ownFields.has(name) && !name.startsWith("_") && value !== undefined,
  );
  const extra = { ...Object.fromEntries(rest), ...(Object.keys(exact).length === 0 ? {} : { [exactKey]: exact }) };
  return Object.keys(extra).length === 0 ? null : JSON.stringify(extra);
}

/** Rows from before uids existed are known by their row id. */
export function uidOfRow(row: Row): string {
  return maybeText(row, "uid") ?? `row_${number(row, "id")}`;
}

export function rowIdOfUid(uid: string): number | undefined {
  const match = /^row_(\d{1,15})$/.exec(uid);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/** The message of a row; undefined for roles a transcript does not hold. */
export function toMessage(row: Row, onDamage: (column: string) => void): Message | undefined {
  const extra = json(row, "extra", onDamage);
  const { [exactKey]: exactValue, ...rest } = isRecord(extra) ? extra : {};
  const exact = isRecord(exactValue) ? exactValue : {};
  const read = (field: string): string | undefined => {
    const kept = exact[field];
    return typeof kept === "string" ? kept : maybeText(row, field);
  };
  const list = (column: string): readonly unknown[] | undefined => {
    const value = json(row, column, onDamage);
    return Array.isArray(value) ? value : undefined;
  };
  const base = { ...rest, uid: uidOfRow(row), timestamp: number(row, "timestamp") };
  const content = (list("content_parts") as Content | undefined) ?? read("content") ?? "";
  switch (text(row, "role")) {
    case "user":
      return { ...base, role: "user", content };
    case "tool":
      return {
        ...base,
        role: "tool",
        content,
        tool_call_id: read("tool_call_id") ?? "",
        tool_name: read("tool_name") ?? "",
      };
    case "assistant":
      return {
        ...base,
        role: "assistant",
        content: textOf(content),
        ...present({
          tool_calls: list("tool_calls") as AssistantMessage["tool_calls"],
          reasoning: read("reasoning"),
          reasoning_content: read("reasoning_content"),
          reasoning_details: list("reasoning_details"),
          codex_reasoning_items: list("codex_reasoning_items"),
          codex_message_items: list("codex_message_items"),
          finish_reason: read("finish_reason") as AssistantMessage["finish_reason"],
        }),
      };
    default:
      return undefined;
  }
}

export function toStoredMessage(row: Row, onDamage: (column: string) => void): StoredMessage | undefined {
  const message = toMessage(row, onDamage);
  if (message === undefined) return undefined;
  return {
    id: number(row, "id"),
    sessionId: text(row, "session_id") as SessionId,
    message,
    timestampMs: millis(row, "timestamp"),
    tokenCount: maybeNumber(row, "token_count"),
  };
}

/** Leaves out what is undefined, so that a restored message has the keys it was stored with. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
