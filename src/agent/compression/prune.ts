import { createHash } from "node:crypto";
import { callsOf, type Message, readArguments, type ToolCall, type ToolMessage } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";
import type { CompressionLimits } from "./limits.ts";
import { headOf, shortLine } from "./short-text.ts";

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
  return { ...message, content: `${oneLine(tool, call?.function.arguments ?? "", content)}${hint}` };
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

/** A call and its result, as the one-line forms read them. */
interface Finished {
  readonly args: Readonly<Record<string, unknown>>;
  readonly content: string;
  /** The result as an object; empty when it is none. */
  readonly fields: Readonly<Record<string, unknown>>;
}

type Form = (finished: Finished) => string;

const longestLine = 200;
const longestCommand = 80;
const longestPath = 60;
const longestGoal = 60;
const longestArgument = 40;

/** What remains of the result of a tool; whatever is not listed gets the general form. */
const forms: Readonly<Record<string, Form>> = {
  terminal: ({ args, content, fields }) => {
    const output = textAt(fields, "output") ?? (isEmpty(fields) ? content : "");
    const exit = fields["exit_code"] ?? "?";
    return `ran \`${shortLine(text(args["command"]), longestCommand)}\` -> exit ${String(exit)}, ${lineCount(output)} lines output`;
  },
  read_file: ({ args, content }) =>
    `read ${path(args)} from line ${String(args["offset"] ?? 1)} (${content.length} chars)`,
  write_file: ({ args }) => `wrote to ${path(args)} (${lineCount(text(args["content"]))} lines)`,
  search_files: ({ args, fields }) => {
    const count = fields["total_count"] ?? listLength(fields, "matches") ?? listLength(fields, "files") ?? "?";
    const target = text(args["target"]) || "content";
    return `${target} search for '${shortLine(text(args["pattern"]), longestArgument)}' in ${path(args, ".")} -> ${String(count)} matches`;
  },
  patch: ({ args, content }) => {
    const mode = text(args["mode"]) || (typeof args["patch"] === "string" ? "patch" : "replace");
    return `${mode} in ${path(args, firstPatchedFile(args))} (${content.length} chars result)`;
  },
  web_search: ({ args, content }) =>
    `searched the web for '${shortLine(text(args["query"]), longestCommand)}' (${content.length} chars result)`,
  web_extract: ({ args, content }) => {
    const urls = Array.isArray(args["urls"]) ? args["urls"] : [args["url"]];
    const more = urls.length > 1 ? ` (+${urls.length - 1} more)` : "";
    return `extracted ${shortLine(text(urls[0]), longestCommand)}${more} (${content.length} chars result)`;
  },
  browser_navigate: ({ args, content }) =>
    `opened ${shortLine(text(args["url"]), longestCommand)} (${content.length} chars result)`,
  delegate_task: ({ args, content }) =>
    `goal: ${shortLine(goalOf(args), longestGoal)} (${content.length} chars result)`,
  execute_code: ({ args, content }) =>
    `ran ${lineCount(text(args["code"]))} lines of code (${content.length} chars result)`,
  memory: ({ args }) => `${text(args["action"]) || "changed"} ${text(args["target"]) || "memory"}`,
  todo: () => "updated the task list",
  clarify: ({ args }) => `asked the user: ${shortLine(text(args["question"]), longestCommand)}`,
  skill_view: ({ args, content }) =>
    `read skill ${shortLine(text(args["name"]), longestPath)} (${content.length} chars)`,
};

/** `[tool] what it did`, from the call's arguments and its result; at most 200 characters. */
export function oneLine(tool: string, argumentText: string, content: string): string {
  const read = readArguments(argumentText);
  const parsed = content.startsWith("{") ? parseJson(content) : undefined;
  const finished: Finished = {
    args: read.kind === "ok" ? read.value : {},
    content,
    fields: parsed?.ok === true && isRecord(parsed.value) ? parsed.value : {},
  };
  const form = Object.hasOwn(forms, tool) ? forms[tool] : undefined;
  return headOf(`[${tool}] ${(form ?? general)(finished)}`, longestLine);
}

const general: Form = ({ args, content }) => {
  const shown = Object.entries(args)
    .slice(0, 2)
    .map(([name, value]) => `${name}=${shortLine(text(value), longestArgument)}`);
  return [...shown, `(${content.length} chars result)`].join(" ");
};

function text(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : (JSON.stringify(value) ?? "");
}

function textAt(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

function path(args: Readonly<Record<string, unknown>>, otherwise = "?"): string {
  return shortLine(text(args["path"]) || otherwise, longestPath);
}

function firstPatchedFile(args: Readonly<Record<string, unknown>>): string {
  return /^\*\*\* \w+ File: (.+)$/m.exec(text(args["patch"]))?.[1] ?? "?";
}

function goalOf(args: Readonly<Record<string, unknown>>): string {
  const tasks = args["tasks"];
  const first: unknown = Array.isArray(tasks) ? tasks[0] : undefined;
  return text(args["goal"]) || (isRecord(first) ? text(first["goal"]) : "");
}

function listLength(fields: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = fields[name];
  return Array.isArray(value) ? value.length : undefined;
}

function isEmpty(fields: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(fields).length === 0;
}

/** Lines as a person counts them: a newline at the end begins no further one. */
function lineCount(value: string): number {
  if (value === "") return 0;
  return value.split("\n").length - (value.endsWith("\n") ? 1 : 0);
}
