import { callsOf, type Message, type ToolCall, textOf } from "#conversation";
import { oneLine } from "./one-line.ts";
import { isReduced } from "./prune.ts";
import { shortLine } from "./short-text.ts";
import { findSummary } from "./summary-message.ts";

const longestRequest = 300;
const longestStatement = 600;
const keptStatements = 3;
/** Lines of calls beyond this are counted and not listed: the extract must stay much smaller than what it replaces. */
const listedCalls = 150;

export interface ExtractInput {
  readonly region: readonly Message[];
  readonly previous?: string;
  readonly latestRequest?: string;
  redact(text: string): string;
}

/** What takes the place of a summary when no model could write one: made by rule, and labelled so. */
export function extractLocally({ region, previous, latestRequest, redact }: ExtractInput): string {
  const said = region.filter((message) => message.role !== "tool").map(withoutSummary);
  const requests = said.filter((message) => message.role === "user" && textOf(message.content).trim() !== "");
  const statements = said.filter((message) => message.role === "assistant" && textOf(message.content).trim() !== "");
  const calls = callLines(region);
  const sections = [
    "This part was not written by a model: the summary call failed, so what follows was extracted by rule.",
    ...(previous === undefined ? [] : ["Summary of still earlier messages:", previous]),
    section(
      "Active Task",
      latestRequest === undefined ? [] : [`The user's latest request: ${shortLine(latestRequest, longestRequest)}`],
    ),
    section(
      "User requests of this part, oldest first",
      requests.map((message) => `- ${shortLine(textOf(message.content), longestRequest)}`),
    ),
    section("Completed Actions", [
      ...(calls.length > listedCalls ? [`(${calls.length - listedCalls} earlier calls are not listed)`] : []),
      ...calls.slice(-listedCalls).map((line) => `- ${line}`),
    ]),
    section(
      "Last statements of the assistant",
      statements.slice(-keptStatements).map((message) => `- ${shortLine(textOf(message.content), longestStatement)}`),
    ),
  ];
  return redact(sections.join("\n\n"));
}

function section(heading: string, lines: readonly string[]): string {
  return `## ${heading}\n${lines.length === 0 ? "None." : lines.join("\n")}`;
}

function callLines(region: readonly Message[]): readonly string[] {
  const calls = new Map<string, ToolCall>();
  return region.flatMap((message) => {
    for (const call of callsOf(message)) calls.set(call.id, call);
    if (message.role !== "tool") return [];
    const content = textOf(message.content);
    if (isReduced(content)) return [content];
    const call = calls.get(message.tool_call_id);
    return [oneLine(call?.function.name ?? message.tool_name, call?.function.arguments ?? "", content)];
  });
}

function withoutSummary(message: Message): Message {
  const found = findSummary(message);
  return found === undefined || message.role === "tool" ? message : { ...message, content: found.rest };
}
