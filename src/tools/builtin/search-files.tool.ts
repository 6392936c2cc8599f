import path from "node:path";
import { shortLine } from "#foundation/text/short-text";
import { truncateEnd } from "#foundation/text/text";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { failed, result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import type { ArgumentsOf } from "../contract/typed-arguments.ts";
import { type FileDeps, notFound, openPath } from "../files/file-access.ts";
import type { SearchEngine } from "../files/search/engine.ts";
import { type SearchFound, type SearchRequest, search } from "../files/search/search.ts";
import { localFiles } from "../terminals/local-files.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

const maxShownText = 500;

export interface SearchDeps extends FileDeps {
  /** Chosen once and kept by whoever builds the tools. */
  engine(): Promise<SearchEngine>;
}

const parameters = {
  type: "object",
  properties: {
    pattern: { type: "string", description: "Regular expression (content) or glob such as *.ts (files)" },
    target: { type: "string", enum: ["content", "files"], description: "Default content" },
    path: { type: "string", description: "Folder or file to search (default: working directory)" },
    file_glob: { type: "string", description: "Only files that match, for example *.py (content)" },
    limit: { type: "integer", minimum: 1, description: "How many results (default 50)" },
    offset: { type: "integer", minimum: 0, description: "How many results to skip (default 0)" },
    output_mode: { type: "string", enum: ["content", "files_only", "count"], description: "Default content" },
    context: { type: "integer", minimum: 0, description: "Lines to show around each match (default 0)" },
  },
  required: ["pattern"],
} as const;

type SearchArguments = ArgumentsOf<typeof parameters>;

/** `search_files`: lines by regular expression, or files by glob. */
export function createSearchFilesTool(deps: SearchDeps): Tool {
  return defineTool({
    name: "search_files",
    toolset: "file",
    emoji: "🔎",
    description:
      "Search inside files with a regular expression (target=content), or find files by a glob, newest first (target=files). " +
      "Use it rather than grep, find or ls. Hidden files and what .gitignore names are left out.",
    parameters,
    // Said by models that were taught another search.
    adapt: (args) => (args["target"] === "find" ? { ...args, target: "files" } : args),
    concurrency: "safe",
    effects: "none",
    countsRepeats: true,
    shorten: ({ pattern, target = "content", path: folder = "." }, { fields }) => {
      const { total_count: total, matches, files } = fields;
      const count = total ?? lengthOf(matches) ?? lengthOf(files) ?? "?";
      return `${target} search for '${shortLine(pattern, 40)}' in ${shortLine(folder, 60)} -> ${String(count)} matches`;
    },
    run: (args, context) => run(deps, args, context),
  });
}

async function run(deps: SearchDeps, args: SearchArguments, context: ToolContext): Promise<ToolResult> {
  const {
    pattern,
    target = "content",
    path: folder = ".",
    limit = 50,
    offset = 0,
    output_mode: mode = "content",
  } = args;
  if (pattern === "") throw new ToolFailure("pattern must be a non-empty string");
  const open = await openPath(deps, { path: folder, use: "read" }, context);
  const facts = await open.files.stat(open.real, { followLinks: true, signal: context.signal });
  if (facts === undefined) throw await notFound(open, context.signal);
  if (facts.kind === "other")
    throw new ToolFailure(`${open.shown} is a device or a pipe, not a file; searching it would never end`);
  const request: SearchRequest = {
    pattern,
    target,
    root: open.real,
    limit: Math.max(1, limit),
    offset: Math.max(0, offset),
    context: Math.min(Math.max(0, args.context ?? 0), 20),
    mayRead: await deps.mayRead(open.terminal, context),
    // What an editor has not saved yet was not searched.
    files: open.terminal.kind === "local" ? localFiles.resolved : undefined,
    signal: context.signal,
    glob: args.file_glob,
  };
  const { signal: _signal, mayRead: _mayRead, files: _files, ...facets } = request;
  const repetition = deps.history.note(context.taskId, `search ${JSON.stringify({ ...facets, mode })}`);
  if (repetition === "block") {
    return failed("You have made exactly this search several times in a row. Use what it found, or change it.", {
      already_searched: true,
    });
  }
  const isHere = open.terminal.kind === "local";
  const engine = isHere ? await deps.engine() : (await import("../files/search/elsewhere.ts")).engineOf(open.terminal);
  const found = await search(engine, request);
  const shown = (file: string): string => shownPath(file, open.terminal.cwd);
  return result({
    total_count: found.isLowerBound ? `${found.total}+` : found.total,
    ...(found.isLowerBound ? { total_is_lower_bound: true } : {}),
    ...body(found, {
      mode: target === "files" ? "files" : mode,
      shown,
      redact: (text) => deps.redact(text),
    }),
    ...paging(found, request, mode),
    ...(found.hidden.length === 0 ? {} : { hidden_secrets: found.hidden.map(shown) }),
    ...(found.changed.length === 0 ? {} : { changed_while_searching: found.changed.map(shown) }),
    ...(repetition === "warn" ? { _warning: "This is the third time in a row you make this search." } : {}),
  });
}

interface View {
  readonly mode: string;
  shown(file: string): string;
  redact(text: string): string;
}

function body(found: SearchFound, { mode, shown, redact }: View): Record<string, unknown> {
  switch (mode) {
    case "files":
    case "files_only":
      return { files: found.files.map(shown) };
    case "count":
      return { counts: Object.fromEntries([...found.counts].map(([file, count]) => [shown(file), count])) };
    default:
      return {
        matches: found.lines.map((line) => ({
          path: shown(line.path),
          line: line.line,
          content: truncateEnd(redact(line.text), maxShownText),
          ...(line.isMatch ? {} : { is_context: true }),
        })),
      };
  }
}

function paging(found: SearchFound, request: SearchRequest, mode: string): Record<string, unknown> {
  const available = request.target === "content" && mode === "files_only" ? found.counts.size : found.total;
  const next = request.offset + request.limit;
  if (mode === "count" || available <= next) return {};
  return { truncated: true, _hint: `More results: go on with offset=${next}, or narrow the pattern.` };
}

/** Relative where it lies below the working directory, which is how a person would name it. */
function shownPath(file: string, cwd: string): string {
  const inside = path.relative(cwd, file);
  return inside === "" || inside.startsWith("..") || path.isAbsolute(inside) ? file : inside;
}

function lengthOf(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ files, engine }) =>
  files === undefined || engine === undefined ? [] : [createSearchFilesTool({ ...files, engine })];
