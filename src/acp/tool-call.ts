import path from "node:path";
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk/unstable";
import { defined } from "#foundation/defined";
import { isRecord, parseJson } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";

/** Longer results are for the model; an editor shows what a person reads. */
const maxResult = 8_000;
const maxTitle = 80;

const kinds: Readonly<Record<string, ToolKind>> = {
  read_file: "read",
  browser_snapshot: "read",
  vision_analyze: "read",
  skill_view: "read",
  write_file: "edit",
  patch: "edit",
  search_files: "search",
  session_search: "search",
  terminal: "execute",
  process: "execute",
  execute_code: "execute",
  delegate_task: "execute",
  web_search: "fetch",
  web_extract: "fetch",
  browser_navigate: "fetch",
  todo: "think",
};

export function kindOf(tool: string): ToolKind {
  return kinds[tool] ?? (tool.startsWith("web_") ? "fetch" : "other");
}

/** A call as an editor first sees it. */
export function toolCall(
  call: { readonly callId: string; readonly name: string; readonly args: unknown },
  cwd: string,
) {
  const args = isRecord(call.args) ? call.args : {};
  return {
    toolCallId: call.callId,
    title: titleOf(call.name, args),
    name: call.name,
    kind: kindOf(call.name),
    rawInput: args,
    locations: locationsOf(args, cwd),
  } satisfies ToolCall;
}

function titleOf(tool: string, args: Readonly<Record<string, unknown>>): string {
  const word = (key: string): string => (typeof args[key] === "string" ? String(args[key]) : "");
  const oneLine = (text: string): string => truncateEnd(text.replace(/\s+/g, " ").trim(), maxTitle);
  if (tool === "terminal") return `terminal: ${oneLine(word("command"))}`;
  if (tool === "read_file") return `read: ${word("path")}`;
  if (tool === "write_file") return `write: ${word("path")}`;
  if (tool === "patch") return `patch (${word("mode") || "replace"}): ${word("path") || "several files"}`;
  const about = ["query", "pattern", "url", "goal", "name", "action", "path"].map(word).find((text) => text !== "");
  return about === undefined ? tool : `${tool}: ${oneLine(about)}`;
}

function locationsOf(args: Readonly<Record<string, unknown>>, cwd: string): ToolCallLocation[] {
  const { path: named, offset } = args;
  if (typeof named !== "string" || named === "" || named.startsWith("~")) return [];
  const line = typeof offset === "number" && Number.isInteger(offset) && offset > 0 ? offset : undefined;
  return [{ path: path.resolve(cwd, named), ...defined({ line }) }];
}

/** What a call gave: its changes where it made some, else what there is to read. */
export function resultContent(
  result: { readonly name: string; readonly diff?: string | undefined; readonly result?: string | undefined },
  cwd: string,
): ToolCallContent[] {
  const changes = diffsOf(result.diff ?? "", cwd);
  if (changes.length > 0) return changes;
  const text = readable(result.result ?? "");
  if (text.trim() === "") return [];
  const isPlain = kindOf(result.name) === "execute" || kindOf(result.name) === "read";
  return [textContent(isPlain ? fenced(text) : text)];
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text: truncateEnd(text, maxResult) } };
}

/** Output of a program, whatever it holds. */
export function fenced(text: string): string {
  const inner = truncateEnd(text.trimEnd(), maxResult - 200);
  const longest = Math.max(2, ...[...inner.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${inner}\n${fence}`;
}

/** The words of a result, which goes to the model as JSON. */
function readable(result: string): string {
  const parsed = parseJson(result);
  if (!parsed.ok || !isRecord(parsed.value)) return result;
  const { value } = parsed;
  const words = ["error", "output", "content", "summary", "result", "message"]
    .map((key) => value[key])
    .find((one): one is string => typeof one === "string" && one.trim() !== "");
  return words ?? result;
}

/** The hunks of a unified diff, each as the text before and after. What was left out of the diff is left out here. */
function diffsOf(unified: string, cwd: string): ToolCallContent[] {
  const found: { readonly path: string; readonly isNew: boolean; readonly old: string[]; readonly new: string[] }[] =
    [];
  let file = "";
  for (const line of unified.split("\n")) {
    const hunk = found.at(-1);
    if (line.startsWith("--- ") && !line.startsWith("--- a/") && file === "") continue;
    if (line.startsWith("--- a/")) file = "";
    else if (line.startsWith("+++ b/")) file = path.resolve(cwd, line.slice("+++ b/".length).split("\t")[0] ?? "");
    else if (line.startsWith("@@ ")) found.push({ path: file, isNew: line.startsWith("@@ -0,0 "), old: [], new: [] });
    else if (hunk === undefined || file === "") continue;
    else if (line.startsWith("-")) hunk.old.push(line.slice(1));
    else if (line.startsWith("+")) hunk.new.push(line.slice(1));
    else if (line.startsWith(" ")) {
      hunk.old.push(line.slice(1));
      hunk.new.push(line.slice(1));
    }
  }
  return found.map((hunk) => ({
    type: "diff",
    path: hunk.path,
    oldText: hunk.isNew ? null : hunk.old.join("\n"),
    newText: hunk.new.join("\n"),
  }));
}
