import type { ToolDefinition } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { decodeExact, type ExactJson } from "#foundation/text/exact-json";
import { toExact } from "#foundation/text/exact-json-text";
import { isRecord } from "#foundation/text/json";
import { embedJson } from "./embedded-json.ts";
import { isBlank, trimBoth, trimEnd, trimStart } from "./white-space.ts";

export interface ShareGptTurn {
  readonly from: "system" | "human" | "gpt" | "tool";
  readonly value: string;
}

/** A message in the chat-completions shape, as loose as stored and foreign data is. Every `Message` is one. */
export interface TrajectoryMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning_details?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
}

export interface Conversation {
  /** The transcript, without a system message; the first one is normally the user's. */
  readonly messages: readonly TrajectoryMessage[];
  /** The first human turn when the transcript does not begin with one. */
  readonly query?: unknown;
  readonly tools: readonly TrajectoryTool[];
  readonly log: Logger;
}

/** A conversation in the training format. Byte-exact: existing training sets are compared with it. */
export function toShareGpt(conversation: Conversation): readonly ShareGptTurn[] {
  const { messages, log } = conversation;
  const first = messages[0];
  const isFirstHuman = first?.role === "user";
  const opening = isFirstHuman ? first.content : (conversation.query ?? "");
  const turns: ShareGptTurn[] = [
    { from: "system", value: systemTurn(conversation.tools) },
    { from: "human", value: humanText(opening) },
  ];
  for (let index = isFirstHuman ? 1 : 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.role === "user") turns.push({ from: "human", value: humanText(message.content) });
    if (message?.role !== "assistant") continue;
    const calls = readCalls(message.tool_calls);
    turns.push({ from: "gpt", value: assistantValue(message, calls, log) });
    if (calls.length === 0) continue;
    const results = followingResults(messages, index + 1);
    if (results.length > 0) turns.push({ from: "tool", value: resultsValue(results, calls, log) });
    index += results.length;
  }
  return turns;
}

interface Call {
  readonly name: string;
  readonly args: unknown;
}

/** Text parts joined by a space; images are only counted. */
function humanText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const text = trimBoth(partTexts(content).join(" "));
  const images = content.filter((part) => isRecord(part) && isImage(part.type)).length;
  if (images === 0) return text;
  const note = images === 1 ? "[1 image]" : `[${images} images]`;
  return text === "" ? note : `${note} ${text}`;
}

function isImage(type: unknown): boolean {
  return type === "image_url" || type === "input_image" || type === "image";
}

function partTexts(parts: readonly unknown[]): readonly string[] {
  return parts.flatMap((part) => {
    if (typeof part === "string") return [part];
    return isRecord(part) && typeof part.text === "string" ? [part.text] : [];
  });
}

function readCalls(value: unknown): readonly Call[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((call) => {
    const target = isRecord(call.function) ? call.function : {};
    return { name: typeof target.name === "string" ? target.name : "", args: target.arguments };
  });
}

function assistantValue(message: TrajectoryMessage, calls: readonly Call[], log: Logger): string {
  const content = contentText(message.content);
  const prefix = thinkPrefix(reasoningOf(message));
  if (calls.length === 0) return trimBoth(ensureThink(prefix + convertScratchpad(content)));
  const words = isBlank(content) ? "" : `${convertScratchpad(content)}\n`;
  const blocks = calls.map((call) => `<tool_call>\n${callJson(call, log)}\n</tool_call>\n`);
  return trimEnd(ensureThink(prefix + words + blocks.join("")));
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? partTexts(content).join(" ") : "";
}

/** The provider's own field first, then ours, then the first detail that is text. */
function reasoningOf(message: TrajectoryMessage): string | undefined {
  const details = Array.isArray(message.reasoning_details) ? message.reasoning_details : [];
  const detail: unknown = details.map((entry) => (isRecord(entry) ? entry.text : undefined)).find(isWords);
  return [message.reasoning_content, message.reasoning, detail].find(isWords);
}

function isWords(value: unknown): value is string {
  return typeof value === "string" && !isBlank(value);
}

const shownCharacters = 100;

function callJson(call: Call, log: Logger): string {
  return embedJson(
    new Map<string, ExactJson>([
      ["name", call.name],
      ["arguments", argumentsOf(call, log)],
    ]),
    log,
  );
}

function argumentsOf(call: Call, log: Logger): ExactJson {
  if (call.args === undefined || call.args === null) return new Map();
  if (typeof call.args !== "string") return toExact(call.args);
  const decoded = decodeExact(call.args);
  if (decoded !== undefined) return decoded.value;
  log.warn("The arguments of a tool call are not JSON; the trajectory has an empty object instead.", {
    tool: call.name,
    start: call.args.slice(0, shownCharacters),
  });
  return new Map();
}

function followingResults(messages: readonly TrajectoryMessage[], from: number): readonly TrajectoryMessage[] {
  let end = from;
  while (messages[end]?.role === "tool") end += 1;
  return messages.slice(from, end);
}

/** Results take their names from the calls by position; one too many has no name. */
function resultsValue(results: readonly TrajectoryMessage[], calls: readonly Call[], log: Logger): string {
  const blocks = results.map((result, index) => {
    const json = embedJson(
      new Map<string, ExactJson>([
        ["tool_call_id", typeof result.tool_call_id === "string" ? result.tool_call_id : ""],
        ["name", calls[index]?.name ?? "unknown"],
        ["content", resultContent(result.content)],
      ]),
      log,
    );
    return `<tool_response>\n${json}\n</tool_response>`;
  });
  return blocks.join("\n");
}

/** A result that is JSON is embedded as JSON, so that it is not a string in a string. */
function resultContent(content: unknown): ExactJson {
  if (typeof content !== "string") return toExact(content ?? null);
  return /^[{[]/.test(trimStart(content)) ? (decodeExact(trimBoth(content))?.value ?? content) : content;
}

const openTag = "<REASONING_SCRATCHPAD>";
const closeTag = "</REASONING_SCRATCHPAD>";

/** Scratchpad tags become think tags. A closing tag alone means nothing; the text between is left as it is. */
export function convertScratchpad(content: string): string {
  if (!content.includes(openTag)) return content;
  return content.replaceAll(openTag, "<think>").replaceAll(closeTag, "</think>");
}

function thinkPrefix(reasoning: string | undefined): string {
  return reasoning === undefined || isBlank(reasoning) ? "" : `<think>\n${reasoning}\n</think>\n`;
}

/** Every assistant turn of the training data has a think block, if need be an empty one. */
function ensureThink(value: string): string {
  return value.includes("<think>") ? value : `<think>\n</think>\n${value}`;
}

/**
 * The first turn of every trajectory. It is a data format shared with existing training sets and therefore
 * fixed to the byte; it says nothing about the prompt the conversation really had.
 */
const template = [
  "You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags. You may call one or more functions to assist with the user query. If available tools are not relevant in assisting with user query, just respond in natural conversational language. Don't make assumptions about what values to plug into functions. After calling & executing the functions, you will be provided with function results within <tool_response> </tool_response> XML tags. Here are the available tools:",
  "<tools>",
  "{TOOLS}",
  "</tools>",
  "For each function call return a JSON object, with the following pydantic model json schema for each:",
  "{'title': 'FunctionCall', 'type': 'object', 'properties': {'name': {'title': 'Name', 'type': 'string'}, 'arguments': {'title': 'Arguments', 'type': 'object'}}, 'required': ['name', 'arguments']}",
  "Each function call should be enclosed within <tool_call> </tool_call> XML tags.",
  "Example:",
  "<tool_call>",
  "{'name': <function-name>,'arguments': <args-dict>}",
  "</tool_call>",
].join("\n");

/** A definition may come without its optional parts, from a plugin for example. */
export type TrajectoryTool = Pick<ToolDefinition, "name"> & Partial<ToolDefinition>;

export function systemTurn(tools: readonly TrajectoryTool[]): string {
  const list = tools.map(
    ({ name, description, parameters }) =>
      new Map([
        ["name", name],
        ["description", description ?? ""],
        ["parameters", toExact(parameters ?? {})],
        ["required", null],
      ]),
  );
  return template.replace("{TOOLS}", () => embedJson(list));
}
