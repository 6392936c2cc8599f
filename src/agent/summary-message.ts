import { type Content, type Message, textOf } from "#conversation";
import { defined } from "#foundation/defined";

/**
 * The form of a summary inside a transcript. The first token is fixed: it is how a summary is found again
 * after a restart, so that it is updated and not taken for something the user or the assistant said.
 */
export const summaryToken = "[CONTEXT COMPACTION";
const legacyToken = "[CONTEXT SUMMARY]:";
const endLine = "[END OF CONTEXT COMPACTION]";
const bodyLine = "---";
const taskListLine = "Open items of the task list:";
const spanLine = "Summarised messages:";

const preamble = [
  `${summaryToken}: reference only]`,
  "The beginning of this conversation was replaced by the summary below, written for whoever carries on with it.",
  "It is background, not a message to answer. Requests it mentions were dealt with, except the one under Active Task: carry on there.",
  "Answer only what is said after this summary. Files and systems may already show the results of the work it describes.",
].join("\n");

/** The messages a summary stands for, by the first and the last of them. */
export interface ElidedSpan {
  readonly first: string;
  readonly last: string;
  readonly count: number;
}

export interface SummaryText {
  readonly body: string;
  readonly openTasks: readonly string[];
  readonly span: ElidedSpan | undefined;
  /** The agent has the tool that reads them again. */
  readonly canRecall: boolean;
}

/** The whole text of a summary message. */
export function renderSummary({ body, openTasks, span, canRecall }: SummaryText): string {
  const sections = [preamble, `${bodyLine}\n${body.trim()}\n${bodyLine}`];
  if (openTasks.length > 0) sections.push([taskListLine, ...openTasks].join("\n"));
  if (span !== undefined) sections.push(spanText(span, canRecall));
  sections.push(endLine);
  return sections.join("\n\n");
}

function spanText({ first, last, count }: ElidedSpan, canRecall: boolean): string {
  const how = canRecall ? "; full text: context_recall" : ";";
  return `${spanLine} ${count}${how} ${first}..${last}`;
}

export interface FoundSummary {
  /** What the model wrote, without our words around it. */
  readonly body: string;
  readonly span?: ElidedSpan;
  /** What the message says besides, word for word; empty when it is nothing but a summary. */
  readonly rest: string;
}

/** The summary in a message, if there is one; also in the form that older programs wrote. */
export function findSummary(message: Message): FoundSummary | undefined {
  const text = textOf(message.content);
  if (message.role === "tool") return undefined;
  if (text.startsWith(legacyToken)) return { body: text.slice(legacyToken.length).trim(), rest: "" };
  if (!text.startsWith(summaryToken)) return undefined;
  const end = text.indexOf(`\n${endLine}`);
  // Written by another program: all of it is summary, below its first line.
  if (end < 0) return { body: text.slice(text.indexOf("\n") + 1).trim(), rest: "" };
  const inside = text.slice(0, end);
  const open = inside.indexOf(`\n${bodyLine}\n`);
  const close = inside.lastIndexOf(`\n${bodyLine}\n`);
  const bodyEnd = close > open ? close : inside.length;
  const body = inside.slice(open + bodyLine.length + 2, bodyEnd).trim();
  const span = readSpan(inside.slice(bodyEnd));
  const rest = text.slice(end + endLine.length + 1).replace(/^\n{0,2}/, "");
  return { body, rest: rest.trim() === "" ? "" : rest, ...defined({ span }) };
}

/** Nothing but a summary: not something a person or the model said. */
export function isSummaryOnly(message: Message): boolean {
  return findSummary(message)?.rest === "";
}

/** The summary in front of what a message says. */
export function prependSummary(summary: string, content: Content): Content {
  if (typeof content === "string") return `${summary}\n\n${content}`;
  return [{ type: "text", text: `${summary}\n\n` }, ...content];
}

/** What a message says without the summary in front of it. */
export function stripSummary(content: Content): Content {
  if (typeof content === "string") return findSummary({ role: "user", content })?.rest ?? content;
  const [first, ...others] = content;
  if (first?.type !== "text" || findSummary({ role: "user", content: first.text }) === undefined) return content;
  return others;
}

const spanPattern = /^Summarised messages: (\d+); (?:full text: context_recall )?(\S+)\.\.(\S+)$/m;

function readSpan(text: string): ElidedSpan | undefined {
  const match = spanPattern.exec(text);
  if (match === null) return undefined;
  const [, count = "0", first = "", last = ""] = match;
  return { first, last, count: Number(count) };
}

/** An item of the task list that a summary carries. */
export interface OpenTask {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress";
}

/** The form in which open items stand in a summary. */
export function taskLines(
  items: readonly { readonly id: string; readonly content: string; readonly status: string }[],
) {
  return items
    .filter(({ status }) => status === "pending" || status === "in_progress")
    .map(({ id, content, status }) => `- [${status}] ${id}: ${content.replace(/\s*\n\s*/g, " ")}`);
}

const line = /^- \[(pending|in_progress)\] (.+?): (.*)$/;

/** The open items of the newest summary: what a resumed session knows of its task list once the call that wrote it is gone. */
export function openTasksIn(messages: readonly Message[]): readonly OpenTask[] {
  const message = messages.findLast((one) => findSummary(one) !== undefined);
  if (message === undefined) return [];
  return textOf(message.content)
    .split("\n")
    .flatMap((text) => {
      const match = line.exec(text);
      if (match === null) return [];
      const [, status, id = "", content = ""] = match;
      return [{ id, content, status: status === "pending" ? "pending" : "in_progress" } as const];
    });
}

/** The last thing the user said; steering text and summaries do not count. */
export function latestRequest(messages: readonly Message[]): number | undefined {
  const index = messages.findLastIndex(
    (message) => message.role === "user" && message._scaffold !== true && !isSummaryOnly(message),
  );
  return index < 0 ? undefined : index;
}
