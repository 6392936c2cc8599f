import { canonicalJson, isRecord, parseJson, scrubDeep } from "#foundation/text/json";
import type { Content } from "./content.ts";
import type { Message } from "./message.ts";
import type { ToolCall } from "./tool-call.ts";

/**
 * The byte-stable form of a message for requests: text trimmed, call arguments in canonical JSON.
 * Two runs that hold the same messages send the same bytes, so the provider's prefix cache hits.
 */
export function normalizeMessage<M extends Message>(message: M): M {
  const content = trimContent(message.content);
  if (message.role !== "assistant" || message.tool_calls === undefined) {
    return content === message.content ? message : { ...message, content };
  }
  const calls = message.tool_calls.map(normalizeCall);
  const sameCalls = calls.every((call, index) => call === message.tool_calls?.[index]);
  if (sameCalls && content === message.content) return message;
  return { ...message, content, tool_calls: sameCalls ? message.tool_calls : calls };
}

/** Arguments as one canonical JSON object, without halves of characters; text that is no JSON object is left as it is. */
export function canonicalArguments(args: string): string {
  const text = args.trim();
  if (text === "" || text === "{}") return "{}";
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value) ? canonicalJson(scrubDeep(parsed.value)) : args;
}

function normalizeCall(call: ToolCall): ToolCall {
  const canonical = canonicalArguments(call.function.arguments);
  if (canonical === call.function.arguments) return call;
  return { ...call, function: { ...call.function, arguments: canonical } };
}

function trimContent<C extends Content>(content: C): C {
  return (typeof content === "string" ? content.trim() : content) as C;
}
