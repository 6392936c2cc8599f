import fs from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { type ProcessHandle, spawnProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import { BadPatternError, type ContentQuery, type FilesQuery, type LineMatch, type SearchEngine } from "./engine.ts";
import { globMatcher } from "./glob.ts";

/** What all searches have in common; ignore files count also outside a repository. */
export const commonArgs = [
  "--no-config",
  "--no-require-git",
  "--no-messages",
  "--no-ignore-global",
  "--no-ignore-exclude",
];
const maxErrorBytes = 8_192;

/** Searches with a ripgrep program; arguments are always passed as a list, never through a shell. */
export function ripgrepEngine(program: string, env: NodeJS.ProcessEnv): SearchEngine {
  return {
    name: "ripgrep",
    content: (query) => contentLines(program, env, query),
    files: (query) => fileNames(program, env, query),
  };
}

async function* contentLines(program: string, env: NodeJS.ProcessEnv, query: ContentQuery): AsyncIterable<LineMatch> {
  const args = [
    ...commonArgs,
    "--json",
    "--sort=path",
    ...(query.context > 0 ? [`--context=${query.context}`] : []),
    ...filterArgs(query.glob),
    "--regexp",
    query.pattern,
  ];
  const location = await locationOf(query.root);
  const isWanted = query.glob === undefined ? () => true : await globMatcher(query.glob, location.folder);
  for await (const line of outputLines(program, args, { env, location, signal: query.signal })) {
    const parsed = parseJson(line);
    const match = parsed.ok ? toMatch(parsed.value) : undefined;
    const file = path.resolve(location.folder, match?.path ?? "");
    if (match !== undefined && isWanted(file)) yield { ...match, path: file };
  }
}

async function* fileNames(program: string, env: NodeJS.ProcessEnv, query: FilesQuery): AsyncIterable<string> {
  const args = [...commonArgs, "--files", ...filterArgs(query.glob)];
  const location = await locationOf(query.root);
  const isWanted = await globMatcher(query.glob, location.folder);
  for await (const line of outputLines(program, args, { env, location, signal: query.signal })) {
    const file = path.resolve(location.folder, line);
    if (isWanted(file)) yield file;
  }
}

/**
 * ripgrep's own globs bring ignored files back, so a plain name glob is given as a file type, which
 * only narrows; what types cannot say is left to our matcher.
 */
export function filterArgs(glob: string | undefined): readonly string[] {
  if (glob === undefined || /[/!:,{}]/.test(glob)) return [];
  return [`--type-add=wanted:${glob}`, "--type=wanted"];
}

/** ripgrep reads globs from its working directory, so it is started where the search begins. */
interface Location {
  readonly folder: string;
  readonly within: string;
}

async function locationOf(root: string): Promise<Location> {
  const facts = await fs.stat(root);
  return facts.isDirectory()
    ? { folder: root, within: "./" }
    : { folder: path.dirname(root), within: `./${path.basename(root)}` };
}

async function* outputLines(
  program: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly location: Location; readonly signal: AbortSignal },
): AsyncIterable<string> {
  await using child = await spawnProcess(program, [...args, "--", options.location.within], {
    cwd: options.location.folder,
    env: options.env,
    signal: options.signal,
    stdin: "ignore",
    graceMs: 200,
  });
  const errors = readErrors(child);
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) yield line;
  const { exitCode } = await child.exited;
  options.signal.throwIfAborted();
  // 1 means nothing was found; 2 means it could not search, or only partly.
  const message = await errors;
  if (exitCode === 2 && message !== "") throw patternError(message);
}

async function readErrors(child: ProcessHandle): Promise<string> {
  let text = "";
  for await (const chunk of child.stderr) if (text.length < maxErrorBytes) text += String(chunk);
  return text;
}

/** ripgrep prints the pattern and a caret under the place it did not understand. */
export function patternError(message: string): Error {
  if (!/regex parse error|error parsing/.test(message)) return new Error(message.trim().split("\n")[0] ?? message);
  const lines = message.split("\n");
  const caret = lines.findIndex((line) => /^\s*\^+\s*$/.test(line));
  const indentation = /^\s*/.exec(lines[caret - 1] ?? "")?.[0].length ?? 0;
  const position = caret < 1 ? undefined : (lines[caret] ?? "").indexOf("^") - indentation;
  const reason = lines.findLast((line) => line.startsWith("error:"))?.replace(/^error:\s*/, "");
  return new BadPatternError(reason ?? "not a regular expression", position);
}

export function toMatch(value: unknown): LineMatch | undefined {
  if (!isRecord(value) || (value["type"] !== "match" && value["type"] !== "context")) return undefined;
  const data = value["data"];
  if (!isRecord(data) || typeof data["line_number"] !== "number") return undefined;
  const path = decoded(data["path"]);
  const text = decoded(data["lines"]);
  if (path === undefined || text === undefined) return undefined;
  return { path, line: data["line_number"], text: text.replace(/\r?\n$/, ""), isMatch: value["type"] === "match" };
}

/** ripgrep gives text where it is UTF-8 and base64 bytes where it is not. */
function decoded(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  if (typeof value["text"] === "string") return value["text"];
  return typeof value["bytes"] === "string" ? Buffer.from(value["bytes"], "base64").toString("utf8") : undefined;
}
