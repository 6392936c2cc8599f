import { readArguments } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";
import { headOf, shortLine } from "./short-text.ts";

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
