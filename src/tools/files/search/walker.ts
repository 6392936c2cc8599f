import fs from "node:fs/promises";
import path from "node:path";
import type { Ignore } from "ignore";
import { decodeText } from "../text-encoding.ts";
import { BadPatternError, type ContentQuery, type FilesQuery, type LineMatch, type SearchEngine } from "./engine.ts";
import { globMatcher } from "./glob.ts";

const maxSearchedBytes = 10 * 1024 * 1024;
const sniffedBytes = 8_192;
const ignoreFiles = [".gitignore", ".ignore", ".rgignore"];

/** Searches without any other program; slower, and for machines where ripgrep cannot run. */
export const walkerEngine: SearchEngine = {
  name: "walker",
  async *content(query) {
    const pattern = compile(query.pattern);
    const isWanted = query.glob === undefined ? () => true : await globMatcher(query.glob, query.root);
    for await (const file of walk(query.root, query.signal)) {
      if (isWanted(file)) yield* linesOf(file, pattern, query);
    }
  },
  async *files(query: FilesQuery) {
    const isWanted = await globMatcher(query.glob, query.root);
    for await (const file of walk(query.root, query.signal)) if (isWanted(file)) yield file;
  },
};

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    try {
      return new RegExp(pattern);
    } catch (error) {
      throw new BadPatternError(error instanceof Error ? error.message : "not a regular expression", undefined);
    }
  }
}

async function* linesOf(file: string, pattern: RegExp, query: ContentQuery): AsyncIterable<LineMatch> {
  query.signal.throwIfAborted();
  const facts = await fs.stat(file).catch(() => undefined);
  if (facts === undefined || facts.size > maxSearchedBytes) return;
  const bytes = await fs.readFile(file).catch(() => undefined);
  if (bytes === undefined || bytes.subarray(0, sniffedBytes).includes(0)) return;
  const lines = decodeText(bytes).text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let shownUntil = -1;
  for (const [index, raw] of lines.entries()) {
    const text = raw.replace(/\r$/, "");
    if (!pattern.test(text)) continue;
    for (let around = Math.max(shownUntil + 1, index - query.context); around < index; around += 1) {
      yield { path: file, line: around + 1, text: (lines[around] ?? "").replace(/\r$/, ""), isMatch: false };
    }
    yield { path: file, line: index + 1, text, isMatch: true };
    shownUntil = index;
    for (let around = index + 1; around <= Math.min(index + query.context, lines.length - 1); around += 1) {
      const next = (lines[around] ?? "").replace(/\r$/, "");
      if (pattern.test(next)) break;
      yield { path: file, line: around + 1, text: next, isMatch: false };
      shownUntil = around;
    }
  }
}

interface Rules {
  readonly base: string;
  readonly ignore: Ignore;
}

/** All files below a root in name order, without hidden and ignored ones; the root itself is never left out. */
async function* walk(root: string, signal: AbortSignal): AsyncIterable<string> {
  const facts = await fs.stat(root);
  if (facts.isFile()) {
    yield root;
    return;
  }
  yield* walkFolder(root, await inheritedRules(root), signal);
}

async function* walkFolder(folder: string, inherited: readonly Rules[], signal: AbortSignal): AsyncIterable<string> {
  signal.throwIfAborted();
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  const own = await rulesOf(folder);
  const rules = own === undefined ? inherited : [...inherited, own];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".")) continue;
    const full = path.join(folder, entry.name);
    if (isIgnored(rules, full, entry.isDirectory())) continue;
    if (entry.isDirectory()) yield* walkFolder(full, rules, signal);
    else if (entry.isFile()) yield full;
  }
}

/** The last rule that says anything about a path decides, the innermost file last. */
function isIgnored(rules: readonly Rules[], full: string, isFolder: boolean): boolean {
  let ignored = false;
  for (const { base, ignore } of rules) {
    const inside = path.relative(base, full).split(path.sep).join("/");
    const verdict = ignore.test(isFolder ? `${inside}/` : inside);
    if (verdict.ignored) ignored = true;
    else if (verdict.unignored) ignored = false;
  }
  return ignored;
}

async function rulesOf(folder: string): Promise<Rules | undefined> {
  const texts = await Promise.all(
    ignoreFiles.map((name) => fs.readFile(path.join(folder, name), "utf8").catch(() => "")),
  );
  if (texts.every((text) => text === "")) return undefined;
  const { default: ignore } = await import("ignore");
  return { base: folder, ignore: ignore().add(texts.join("\n")) };
}

/** Ignore files above the root, up to the top of its repository. */
async function inheritedRules(root: string): Promise<readonly Rules[]> {
  const found: Rules[] = [];
  let folder = root;
  while (!(await exists(path.join(folder, ".git"))) && path.dirname(folder) !== folder) {
    folder = path.dirname(folder);
    const own = await rulesOf(folder);
    if (own !== undefined) found.unshift(own);
  }
  return found;
}

async function exists(file: string): Promise<boolean> {
  return fs.stat(file).then(
    () => true,
    () => false,
  );
}
