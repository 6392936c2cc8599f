import { callsOf, type Message, type ToolCall, textOf } from "#conversation";
import { headOf, shortLine } from "#foundation/text/short-text";
import type { Tool } from "#tools";
import { findSummary } from "../summary-message.ts";
import { isReduced, oneLine } from "./prune.ts";

const longestRequest = 300;
const longestStatement = 600;
const keptStatements = 3;
const charactersPerToken = 4;
/** Older calls are counted and not listed: the extract must stay much smaller than what it replaces. */
const listedCalls = 150;

const label = "This part was not written by a model: the summary call failed, so what follows was extracted by rule.";
const headings = {
  earlier: "Summary of still earlier messages",
  task: "Active Task",
  requests: "User requests so far, oldest first (dealt with, unless repeated under Active Task)",
  actions: "Completed Actions",
  statements: "Last statements of the assistant",
} as const;

export interface ExtractInput {
  readonly region: readonly Message[];
  readonly previous: string | undefined;
  readonly latestRequest: string | undefined;
  redact(text: string): string;
  /** The extract must stay within; older requests and calls go first. */
  readonly maxTokens: number;
  /** Those the agent has. */
  readonly tools: ReadonlyMap<string, Tool>;
}

/** What takes the place of a summary when no model could write one: made by rule, and labelled so. */
export function extractLocally({ region, previous, latestRequest, redact, maxTokens, tools }: ExtractInput): string {
  const room = (share: number): number => share * charactersPerToken * maxTokens;
  const before = readExtract(previous);
  const spoken = region.filter((message) => message.role !== "tool").map(withoutSummary);
  const lines = (role: Message["role"], longest: number): readonly string[] =>
    spoken
      .filter((message) => message.role === role && textOf(message.content).trim() !== "")
      .map((message) => `- ${shortLine(textOf(message.content), longest)}`);
  const calls = callLines(region, tools).map((line) => `- ${line}`);
  const sections = [
    label,
    ...(before.earlier === "" ? [] : [`### ${headings.earlier}\n${headOf(before.earlier, room(0.3))}`]),
    section(headings.task, latestRequest === undefined ? [] : [shortLine(latestRequest, longestRequest)]),
    section(headings.requests, within([...before.requests, ...lines("user", longestRequest)], room(0.4))),
    section(headings.actions, newest([...before.actions, ...calls], { unlisted: before.unlisted, room: room(0.2) })),
    section(headings.statements, within(lines("assistant", longestStatement).slice(-keptStatements), room(0.1))),
  ];
  return redact(sections.join("\n\n"));
}

const none = "None.";

function section(heading: string, lines: readonly string[]): string {
  return `## ${heading}\n${lines.length === 0 ? none : lines.join("\n")}`;
}

const unlistedPattern = /^\((\d+) earlier calls are not listed\)$/;

function newest(
  calls: readonly string[],
  { unlisted, room }: { readonly unlisted: number; readonly room: number },
): readonly string[] {
  const listed = within(calls.slice(-listedCalls), room);
  const left = unlisted + calls.length - listed.length;
  return [...(left > 0 ? [`(${left} earlier calls are not listed)`] : []), ...listed];
}

/** The last lines that fit into so many characters. */
function within(lines: readonly string[], characters: number): readonly string[] {
  let from = lines.length;
  for (let left = characters; from > 0; from -= 1) {
    left -= (lines[from - 1] ?? "").length + 1;
    if (left < 0) break;
  }
  return lines.slice(from);
}

/** An earlier extract is continued line by line, so that many in a row do not pile up; any other summary is kept whole. */
function readExtract(previous: string | undefined) {
  if (previous === undefined) return { earlier: "", requests: [], actions: [], unlisted: 0 };
  if (!previous.startsWith(label)) return { earlier: previous, requests: [], actions: [], unlisted: 0 };
  const linesOf = (heading: string): readonly string[] => {
    const from = previous.lastIndexOf(`\n## ${heading}\n`);
    if (from < 0) return [];
    const body = previous.slice(from + heading.length + 5);
    const end = body.indexOf("\n\n## ");
    return (end < 0 ? body : body.slice(0, end)).split("\n").filter((line) => line !== none && line !== "");
  };
  const actions = linesOf(headings.actions);
  const unlisted = unlistedPattern.exec(actions[0] ?? "");
  const start = previous.indexOf(`### ${headings.earlier}\n`);
  const end = previous.lastIndexOf(`\n\n## ${headings.task}\n`);
  return {
    earlier: start < 0 ? "" : previous.slice(start + headings.earlier.length + 5, end),
    requests: linesOf(headings.requests),
    actions: unlisted === null ? actions : actions.slice(1),
    unlisted: Number(unlisted?.[1] ?? 0),
  };
}

function callLines(region: readonly Message[], tools: ReadonlyMap<string, Tool>): readonly string[] {
  const calls = new Map<string, ToolCall>();
  return region.flatMap((message) => {
    for (const call of callsOf(message)) calls.set(call.id, call);
    if (message.role !== "tool") return [];
    const content = textOf(message.content);
    if (isReduced(content)) return [content];
    const call = calls.get(message.tool_call_id);
    return [oneLine(call?.function ?? { name: message.tool_name, arguments: "" }, content, tools)];
  });
}

function withoutSummary(message: Message): Message {
  const found = findSummary(message);
  return found === undefined || message.role === "tool" ? message : { ...message, content: found.rest };
}
