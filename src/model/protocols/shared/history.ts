import {
  type ContentPart,
  canonicalArguments,
  deriveCallId,
  type Message,
  type RepairCounts,
  readArguments,
  repair,
  type ToolCall,
} from "#conversation";
import { canonicalJson, isRecord } from "#foundation/text/json";
import { WireMemo } from "../wire-memo.ts";
import { flatText } from "./fields.ts";
import { argumentText } from "./tool-input.ts";

/** Stands where a conversation has no first word of the user; every wire wants one. */
const missingUserText = "(the conversation continues)";

/**
 * The messages of a request, ready to be written on a wire: sound, repaired, byte-stable, and starting
 * with the user. Works on a copy; takes whatever an old file may hold and never throws.
 */
export function prepareHistory(messages: readonly Message[], memo = new WireMemo()): readonly Message[] {
  const normal = repair(soundMessages(messages)).messages.map((message) => memo.normal(message));
  return normal[0]?.role === "user" ? normal : [{ role: "user", content: missingUserText }, ...normal];
}

/** What had to be put right in these messages, for the log. */
export function countRepairs(messages: readonly Message[]): RepairCounts {
  return repair(soundMessages(messages)).counts;
}

/** The same list when all of it is sound, as it is in all but old or foreign sessions. */
function soundMessages(messages: readonly Message[]): readonly Message[] {
  if (messages.every((message) => soundMessage(message) === message)) return messages;
  return messages.map(soundMessage).filter((message) => message !== undefined);
}

/** A message whose fields are what their types say; undefined for what is no message at all. */
function soundMessage(message: Message): Message | undefined {
  const input: unknown = message;
  if (!isRecord(input)) return undefined;
  switch (message.role) {
    case "assistant":
      return soundAssistant(message);
    case "tool": {
      const content = soundContent(message.content);
      const id = typeof message.tool_call_id === "string" ? message.tool_call_id : "";
      return content === message.content && id === message.tool_call_id
        ? message
        : { ...message, content, tool_call_id: id };
    }
    case "user": {
      const content = soundContent(message.content);
      return content === message.content ? message : { ...message, content };
    }
    default:
      return message;
  }
}

function soundAssistant(message: Extract<Message, { role: "assistant" }>): Message {
  const content = typeof message.content === "string" ? message.content : flatText(message.content);
  const input: unknown = message.tool_calls;
  if (input === undefined) return content === message.content ? message : { ...message, content };
  if (Array.isArray(input) && input.every(isSoundCall) && content === message.content) return message;
  const calls = (Array.isArray(input) ? input : []).map(soundCall).filter((call) => call !== undefined);
  return { ...message, content, tool_calls: calls };
}

function isSoundCall(call: unknown): call is ToolCall {
  if (!isRecord(call) || !isRecord(call["function"])) return false;
  const { name, arguments: args } = call["function"];
  return typeof call["id"] === "string" && call["id"] !== "" && typeof name === "string" && typeof args === "string";
}

function soundCall(call: unknown, index: number): ToolCall | undefined {
  if (isSoundCall(call)) return call;
  if (!isRecord(call) || !isRecord(call["function"])) return undefined;
  const { name, arguments: args } = call["function"];
  const words = argumentText(args);
  const called = typeof name === "string" ? name : "";
  const id =
    typeof call["id"] === "string" && call["id"] !== ""
      ? call["id"]
      : deriveCallId(called, canonicalArguments(words), index);
  return { ...call, id, type: "function", function: { name: called, arguments: words } } as ToolCall;
}

/** Text and image parts, under any of the names they were stored with; blank texts and unknown parts go. */
function soundContent(content: unknown): string | readonly ContentPart[] {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return isRecord(content) ? flatText(content) : "";
  if (content.every(isSoundPart)) return content;
  return content.map(soundPart).filter((part) => part !== undefined);
}

function isSoundPart(part: unknown): part is ContentPart {
  if (!isRecord(part)) return false;
  if (part["type"] === "text") return typeof part["text"] === "string" && part["text"].trim() !== "";
  return part["type"] === "image_url" && isRecord(part["image_url"]) && typeof part["image_url"]["url"] === "string";
}

function soundPart(part: unknown): ContentPart | undefined {
  if (isSoundPart(part)) return part;
  if (typeof part === "string") return part.trim() === "" ? undefined : { type: "text", text: part };
  if (!isRecord(part)) return undefined;
  const url = isRecord(part["image_url"]) ? part["image_url"]["url"] : part["image_url"];
  if (typeof url === "string") return { type: "image_url", image_url: { url } };
  const text = flatText(part);
  return text.trim() === "" ? undefined : { type: "text", text };
}

/** The argument object for a wire that only carries objects; what cannot be read is an empty one. */
export function argumentObject(text: string): Readonly<Record<string, unknown>> {
  const read = readArguments(text);
  return read.kind === "ok" ? read.value : {};
}

/** The argument text for a wire that checks it. */
export function wireArguments(text: string): string {
  if (text === "{}") return text;
  const read = readArguments(text);
  if (read.kind !== "ok") return "{}";
  return read.wasMended ? canonicalJson(read.value) : text;
}

const nameLength = 64;

/** Names that models made up may hold anything; providers check the ones in the history too. */
export function wireName(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, nameLength);
  return clean === "" ? "unknown_tool" : clean;
}
