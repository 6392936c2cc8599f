import { callsOf, type Message, textOf, untrustedIn } from "#conversation";
import { headOf, shortLine } from "#foundation/text/short-text";
import { defineAbility, defineTool, result, type Tool, type ToolContext, ToolFailure, type ToolResult } from "#tools";

/** Messages of this conversation, stored ones included: from the first uid to the last, in order; empty when unknown. */
export type ReadMessages = (
  span: { readonly first: string; readonly last: string },
  signal: AbortSignal,
) => Promise<readonly Message[]>;

export const recallToolName = "context_recall";

/** What the conversation held before it was shortened. */
export const recalling = defineAbility<ReadMessages>("recall", "Nothing of this conversation was put away.");

export const recallTool: Tool = defineTool({
  name: recallToolName,
  toolset: "session_search",
  emoji: "🔎",
  description: "Reread what was shortened or summarised here, by the id shown there.",
  parameters: {
    type: "object",
    properties: { id: { type: "string" }, offset: { type: "integer" }, limit: { type: "integer" } },
    required: ["id"],
  },
  effects: "none",
  run: (args, context) => recall(context.agent.need(recalling), args, context),
});

const defaultLimit = 8_000;
const largestLimit = 20_000;
/** In a range every message is shown in short; its own id gives the rest. */
const longestInRange = 500;

interface Span {
  readonly id: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Offset and limit count characters of the text that the id stands for. */
async function recall(readMessages: ReadMessages, span: Span, context: ToolContext): Promise<ToolResult> {
  const id = span.id.trim();
  if (id === "") throw new ToolFailure("id must be the id of a message, or two of them joined by ..");
  const [first = "", last = first] = id.split("..");
  const messages = await readMessages({ first, last }, context.signal);
  if (messages.length === 0)
    throw new ToolFailure(`There is no message ${id} in this conversation. Take the id from a shortened result.`);
  const source = untrustedIn(messages);
  if (source !== undefined) context.noteUntrusted?.(source);
  const text = messages.length === 1 ? messages.map(whole).join("") : messages.map(short).join("\n");
  const offset = Math.min(Math.max(0, span.offset ?? 0), text.length);
  const limit = Math.min(Math.max(0, span.limit ?? defaultLimit), largestLimit);
  const piece = headOf(text.slice(offset), limit);
  const end = offset + piece.length;
  return result({
    id,
    messages: messages.length,
    total_chars: text.length,
    text: piece,
    ...(end < text.length ? { next_offset: end } : {}),
  });
}

/** The messages between two of a list, ends included; empty when either is missing or they stand the wrong way round. */
export function spanOf(messages: readonly Message[], span: { readonly first: string; readonly last: string }) {
  const from = messages.findIndex((message) => message.uid === span.first);
  const to = messages.findLastIndex((message) => message.uid === span.last);
  return from < 0 || to < from ? [] : messages.slice(from, to + 1);
}

function whole(message: Message): string {
  const calls = callsOf(message).map((call) => `${call.function.name}(${call.function.arguments})`);
  return [textOf(message.content), ...calls].filter((part) => part !== "").join("\n");
}

function short(message: Message): string {
  const name = message.role === "tool" ? `tool ${message.tool_name}` : message.role;
  return `[${name} ${message.uid ?? ""}] ${shortLine(whole(message), longestInRange)}`;
}
