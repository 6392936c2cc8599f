import { createHash } from "node:crypto";
import { callsOf, type Message, readArguments, type ToolCall, type ToolMessage } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";
import { headOf, shortLine } from "#foundation/text/short-text";
import type { Tool } from "#tools";
import type { CompressionLimits } from "./limits.ts";

/**
 * Makes a history smaller without asking a model. Invariants:
 *
 * 1. Words are not touched: what comes out is the form the messages have in requests (`originals.ts` lays it over the
 *    whole ones). It is stored with them, so every later request repeats the same shortened bytes, also after a
 *    resume, and the provider's cache holds.
 * 2. Pruning what is pruned changes nothing.
 * 3. No message appears or disappears; calls and results stay paired.
 */
export interface PruneOptions {
  readonly limits: Pick<CompressionLimits, "tailBudget" | "protectLastN">;
  sizeOf(message: Message): number;
  /** The agent can read a message again by its id, so shortened ones name it. */
  readonly canRecall: boolean;
  /** Those the agent has. */
  tools(): ReadonlyMap<string, Tool>;
}

export interface Pruned {
  /** The list given when nothing changed. */
  readonly messages: readonly Message[];
  readonly prunedResults: number;
  readonly shortenedCalls: number;
}

const smallestResult = 200;
const longestArguments = 500;
const longestLeaf = 200;
const cutMark = "...[truncated]";

export function prune(messages: readonly Message[], options: PruneOptions): Pruned {
  const protectedFrom = pruningTail(messages, options);
  const newest = newestOfEqual(messages);
  const callOf = new Map<string, ToolCall>();
  let prunedResults = 0;
  let shortenedCalls = 0;
  const next = messages.map((message, index): Message => {
    const isOld = index < protectedFrom;
    if (message.role === "tool") {
      const shorter = shorterResult(message, { call: callOf.get(message.tool_call_id), newest, isOld, options });
      if (shorter !== message) prunedResults += 1;
      return shorter;
    }
    for (const call of callsOf(message)) callOf.set(call.id, call);
    const shorter = isOld ? shorterCalls(message) : message;
    if (shorter !== message) shortenedCalls += 1;
    return shorter;
  });
  const hasChanged = prunedResults + shortenedCalls > 0;
  return { messages: hasChanged ? next : messages, prunedResults, shortenedCalls };
}

/**
 * Index of the first message that is left alone: the larger of what fits the tail budget and the last n messages, and
 * in any case the last reply with its results, which the model has not read yet.
 */
export function pruningTail(messages: readonly Message[], { limits, sizeOf }: PruneOptions): number {
  let from = messages.length;
  let sum = 0;
  while (from > 0) {
    const message = messages[from - 1];
    if (message === undefined) break;
    sum += sizeOf(message);
    if (sum > limits.tailBudget) break;
    from -= 1;
  }
  return Math.max(0, Math.min(from, messages.length - limits.protectLastN, unreadFrom(messages)));
}

/** Index of the last reply, or of what the user said after it: the results behind it are new to the model. */
export function unreadFrom(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role !== "tool");
}

const reference = "; full text: context_recall ";
const reducedResult = /^\[[\w-]+\] [^\n]*; full text: context_recall \S+$/;

/** Recognises what an earlier pruning left. */
export function isReduced(content: string): boolean {
  return content.length < 400 && reducedResult.test(content);
}

function shorterResult(
  message: ToolMessage,
  facts: {
    readonly call: ToolCall | undefined;
    readonly newest: ReadonlyMap<string, ToolMessage>;
    readonly isOld: boolean;
    readonly options: PruneOptions;
  },
): Message {
  const { content } = message;
  if (typeof content !== "string" || content.length < smallestResult || isReduced(content)) return message;
  const { call, newest, isOld, options } = facts;
  const tool = call?.function.name ?? message.tool_name;
  const hint = options.canRecall && message.uid !== undefined ? `${reference}${message.uid}` : "";
  if (newest.get(digest(content)) !== message)
    return { ...message, content: `[${tool}] same result as a later call of this conversation${hint}` };
  if (!isOld || content.length <= smallestResult) return message;
  return {
    ...message,
    content: `${oneLine(call?.function ?? { name: tool, arguments: "" }, content, options.tools())}${hint}`,
  };
}

/** The last message with each content that is long enough to be worth a reference. */
function newestOfEqual(messages: readonly Message[]): ReadonlyMap<string, ToolMessage> {
  const newest = new Map<string, ToolMessage>();
  for (const message of messages)
    if (message.role === "tool" && typeof message.content === "string" && message.content.length >= smallestResult)
      newest.set(digest(message.content), message);
  return newest;
}

function digest(content: string): string {
  return createHash("sha256").update(content).digest("base64");
}

function shorterCalls(message: Message): Message {
  if (message.role !== "assistant" || message.tool_calls === undefined) return message;
  let hasChanged = false;
  const calls = message.tool_calls.map((call): ToolCall => {
    const shorter = shorterArguments(call.function.arguments);
    if (shorter === call.function.arguments) return call;
    hasChanged = true;
    return { ...call, function: { ...call.function, arguments: shorter } };
  });
  return hasChanged ? { ...message, tool_calls: calls } : message;
}

/** Long texts inside the arguments are cut; it stays the JSON it was. What is no JSON stays as it is. */
export function shorterArguments(text: string): string {
  if (text.length <= longestArguments) return text;
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return text;
  const written = JSON.stringify(shorterLeaves(parsed.value));
  return written.length < text.length ? written : text;
}

function shorterLeaves(value: unknown): unknown {
  if (typeof value === "string") return value.length <= longestLeaf ? value : `${headOf(value, longestLeaf)}${cutMark}`;
  if (Array.isArray(value)) return value.map(shorterLeaves);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorterLeaves(item)]));
}

const longestLine = 200;
const longestArgument = 40;

/** `[tool] what it did`, from the call's arguments and its result; at most 200 characters. */
export function oneLine(
  { name, arguments: written }: ToolCall["function"],
  text: string,
  tools: ReadonlyMap<string, Tool>,
): string {
  const read = readArguments(written);
  const args = read.kind === "ok" ? read.value : {};
  return headOf(`[${name}] ${ownForm(tools.get(name), args, text) ?? general(args, text)}`, longestLine);
}

function ownForm(tool: Tool | undefined, args: Readonly<Record<string, unknown>>, text: string): string | undefined {
  const typed = tool?.read?.(args);
  if (typed?.kind !== "ok") return undefined;
  const parsed = text.startsWith("{") ? parseJson(text) : undefined;
  return tool?.shorten?.(typed.args, {
    text,
    fields: parsed?.ok === true && isRecord(parsed.value) ? parsed.value : {},
  });
}

function general(args: Readonly<Record<string, unknown>>, text: string): string {
  const shown = Object.entries(args)
    .slice(0, 2)
    .map(([name, value]) => `${name}=${shortLine(written(value), longestArgument)}`);
  return [...shown, `(${text.length} chars result)`].join(" ");
}

function written(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : (JSON.stringify(value) ?? "");
}
