import { join } from "node:path";
import { describe } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import { fenceUntrusted, isBinaryPath, looksBinary } from "#tools";
import { guardReference, type ReferenceLocation } from "./guard.ts";
import type { LineRange, Reference } from "./parse.ts";

/** Ports a reference needs beyond files. Each answer is bounded by whoever gives it. */
export interface ReferenceDeps extends ReferenceLocation {
  /** Runs git in the workspace; `output` is what it printed. */
  git(args: readonly string[], signal: AbortSignal): Promise<{ readonly ok: boolean; readonly output: string }>;
  /** A page of the public web as text; a refusal says why. */
  fetchText(
    url: string,
    signal: AbortSignal,
  ): Promise<{ readonly kind: "text"; readonly text: string } | { readonly kind: "failed"; readonly reason: string }>;
}

export type ReferenceContent =
  | { readonly kind: "content"; readonly text: string }
  | { readonly kind: "problem"; readonly reason: string };

const maxFileBytes = 2 * 1024 * 1024;
const maxEntries = 200;
const maxDepth = 8;
const skippedFolders: ReadonlySet<string> = new Set([".git", "node_modules", "__pycache__", ".venv"]);

/** What stands behind a reference. Whatever goes wrong is a problem to tell, never a failure of the message. */
export async function readReference(
  reference: Reference,
  deps: ReferenceDeps,
  signal: AbortSignal,
): Promise<ReferenceContent> {
  try {
    return await read(reference, deps, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: "problem", reason: describe(error) };
  }
}

async function read(reference: Reference, deps: ReferenceDeps, signal: AbortSignal): Promise<ReferenceContent> {
  switch (reference.kind) {
    case "file":
      return readFile(reference, deps);
    case "folder":
      return listFolder(reference.path, deps, signal);
    case "diff":
      return runGit(["diff"], deps, signal);
    case "staged":
      return runGit(["diff", "--staged"], deps, signal);
    case "git":
      return runGit(["log", "-p", "-n", String(reference.count)], deps, signal);
    case "url": {
      if (!/^https?:\/\//i.test(reference.url))
        return { kind: "problem", reason: "only http and https addresses work" };
      const page = await deps.fetchText(reference.url, signal);
      if (page.kind === "failed") return { kind: "problem", reason: page.reason };
      return { kind: "content", text: fenceUntrusted(page.text, reference.url) };
    }
  }
}

async function readFile(
  reference: Reference & { readonly kind: "file" },
  deps: ReferenceDeps,
): Promise<ReferenceContent> {
  const location = await guardReference(reference.path, deps);
  if (location.kind === "refused") return { kind: "problem", reason: location.reason };
  if ((await deps.files.kindOf(location.path)) === "folder")
    return { kind: "problem", reason: "it is a folder; use @folder:" };
  if (isBinaryPath(location.path)) return { kind: "problem", reason: "it is not a text file" };
  const text = await deps.files.readText(location.path, maxFileBytes);
  if (text === undefined) return { kind: "problem", reason: "not found" };
  if (looksBinary(text)) return { kind: "problem", reason: "it is not a text file" };
  if (reference.lines === undefined) return { kind: "content", text: fenced(text) };
  return pickLines(text, reference.lines);
}

function pickLines(text: string, range: LineRange): ReferenceContent {
  const lines = text.split("\n");
  if (range.from > lines.length) return { kind: "problem", reason: `it has only ${plural(lines.length, "line")}` };
  return { kind: "content", text: fenced(lines.slice(range.from - 1, range.to).join("\n")) };
}

async function listFolder(path: string, deps: ReferenceDeps, signal: AbortSignal): Promise<ReferenceContent> {
  const location = await guardReference(path, deps);
  if (location.kind === "refused") return { kind: "problem", reason: location.reason };
  if ((await deps.files.kindOf(location.path)) !== "folder") return { kind: "problem", reason: "it is not a folder" };
  const lines: string[] = [];
  const isComplete = await walk({ folder: location.path, depth: 0, lines, deps, signal });
  if (!isComplete) lines.push(`(more than ${maxEntries} entries; the rest is not listed)`);
  return { kind: "content", text: fenced(`${location.shown}/\n${lines.join("\n")}`) };
}

interface Walk {
  readonly folder: string;
  readonly depth: number;
  readonly lines: string[];
  readonly deps: ReferenceDeps;
  readonly signal: AbortSignal;
}

/** False when the limit was reached. Links are listed, not followed. */
async function walk(location: Walk): Promise<boolean> {
  location.signal.throwIfAborted();
  for (const { name, kind } of await location.deps.files.list(location.folder)) {
    if (location.lines.length >= maxEntries) return false;
    const shown = name.replace(/\p{Cc}/gu, "?");
    location.lines.push(`${"  ".repeat(location.depth + 1)}${shown}${kind === "folder" ? "/" : ""}`);
    if (kind !== "folder" || skippedFolders.has(name) || location.depth + 1 >= maxDepth) continue;
    if (!(await walk({ ...location, folder: join(location.folder, name), depth: location.depth + 1 }))) return false;
  }
  return true;
}

/** Nothing a repository configures may run for it: no external diff programs, no text converters. */
async function runGit(
  [command = "diff", ...rest]: readonly string[],
  deps: ReferenceDeps,
  signal: AbortSignal,
): Promise<ReferenceContent> {
  const args = [command, "--no-ext-diff", "--no-textconv", "--no-color", ...rest];
  const { ok, output } = await deps.git(args, signal);
  if (!ok) return { kind: "problem", reason: output.trim().split("\n")[0]?.slice(0, 200) || "git failed" };
  return output.trim() === ""
    ? { kind: "content", text: "(no changes)" }
    : { kind: "content", text: fenced(output, "diff") };
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string, language = ""): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}
