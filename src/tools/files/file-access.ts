import path from "node:path";
import type { PathGuard, PathUse } from "../confinement/path-guard.ts";
import type { ToolContext } from "../contract/context.ts";
import { ToolFailure } from "../contract/result.ts";
import type { FileFacts, Terminal, TerminalFiles, TerminalLeases } from "../contract/terminal.ts";
import { type FileLedger, type Stamp, stampOf } from "./ledger.ts";
import type { ReadHistory } from "./read-history.ts";
import { similarNames } from "./similar-names.ts";

export interface FileOptions {
  /** Largest text shown by one read, in characters. */
  readonly maxReadChars: number;
  readonly maxLines: number;
  readonly maxLineLength: number;
  /** What a whole-file write over a changed file does. */
  readonly staleWrite: "warn" | "block";
}

/** Largest file the tools load into memory. */
const maxFileBytes = 64 * 1024 * 1024;

/** What all file tools share. */
export interface FileDeps {
  readonly leases: TerminalLeases;
  readonly guard: PathGuard;
  /** Which files a search may show lines of, without asking for each. */
  mayRead(terminal: Terminal, context: ToolContext): Promise<(real: string) => boolean>;
  readonly ledger: FileLedger;
  readonly history: ReadHistory;
  readonly options: FileOptions;
  /** Masks secrets; what it changed must not be written back. */
  redact(text: string): string;
  /** A mask this session has shown that occurs in the text, or undefined. */
  findMask(text: string): string | undefined;
  /** Syntax check after a write; undefined when there is nothing to say. */
  lint?(check: LintRequest): Promise<LintResult | undefined>;
  /** Snapshot before the first change of a step; never fails the write. */
  checkpoint?(
    change: { readonly paths: readonly string[]; readonly reason: string },
    context: ToolContext,
  ): Promise<void>;
}

export interface LintRequest {
  readonly terminal: Terminal;
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  readonly signal: AbortSignal;
}

export interface LintResult {
  readonly status: "ok" | "error" | "skipped";
  readonly output?: string;
  readonly message?: string;
}

/** A path a tool was given, resolved in its terminal and allowed. */
export interface OpenPath {
  readonly terminal: Terminal;
  /** Its files by paths that were judged: a link that comes into one later is not followed. */
  readonly files: TerminalFiles;
  /** Absolute, links resolved; what ledger and locks go by. */
  readonly real: string;
  /** Absolute, as given. */
  readonly shown: string;
}

export async function openPath(
  deps: FileDeps,
  { path: named, use }: { readonly path: string; readonly use: PathUse },
  context: ToolContext,
): Promise<OpenPath> {
  if (named.trim() === "") throw new ToolFailure("path must be a non-empty string");
  if (named.includes("\u0000")) throw new ToolFailure("path contains a NUL character");
  const terminal = await deps.leases.take(context, context.signal);
  const shown = absolutePath(named, terminal);
  const verdict = await deps.guard(shown, use, {
    terminal,
    scope: context.scope,
    taskId: context.taskId,
    callId: context.callId,
    signal: context.signal,
  });
  if (verdict.kind === "refused") throw new ToolFailure(verdict.reason, { path: named });
  if (verdict.untrusted !== undefined) context.noteUntrusted?.(verdict.untrusted);
  return { terminal, files: terminal.files.resolved ?? terminal.files, real: verdict.realPath, shown };
}

/** Against the live working directory; `~` is the terminal's home. */
function absolutePath(named: string, terminal: { readonly cwd: string; readonly home: string }): string {
  const expanded =
    named === "~" ? terminal.home : named.startsWith("~/") ? path.posix.join(terminal.home, named.slice(2)) : named;
  return path.posix.resolve(terminal.cwd, expanded);
}

/** For scheduling: the absolute path of a call, as far as it is known before the terminal exists. */
export function scheduledPaths(leases: TerminalLeases, named: string | undefined, taskId: string): readonly string[] {
  if (named === undefined || named.trim() === "") return [];
  const terminal = leases.peek(taskId);
  return [terminal === undefined ? named : absolutePath(named, terminal)];
}

export interface CurrentFile {
  readonly facts: FileFacts;
  readonly bytes: Uint8Array;
  readonly stamp: Stamp;
}

/** What is there now; undefined when nothing is. A folder or a device is an error. */
export async function currentFile(open: OpenPath, signal: AbortSignal): Promise<CurrentFile | undefined> {
  const facts = await open.files.stat(open.real, { followLinks: true, signal });
  if (facts === undefined) return undefined;
  if (facts.kind === "directory") {
    throw new ToolFailure(`${open.shown} is a folder. List it with search_files(target="files", path=...).`);
  }
  if (facts.kind !== "file") throw new ToolFailure(`${open.shown} is not a regular file`);
  if (facts.size > maxFileBytes) {
    throw new ToolFailure(
      `${open.shown} has ${facts.size} bytes; the largest file these tools open has ${maxFileBytes}`,
    );
  }
  const bytes = await open.files.read(open.real, { maxBytes: maxFileBytes, signal });
  return { facts, bytes, stamp: stampOf(facts, bytes) };
}

export async function notFound(open: OpenPath, signal: AbortSignal): Promise<ToolFailure> {
  const folder = path.posix.dirname(open.real);
  const facts = await open.files.stat(folder, { followLinks: true, signal });
  const siblings = facts?.kind === "directory" ? await open.files.list(folder, signal) : [];
  const shown = path.posix.dirname(open.shown);
  const similar = similarNames(path.posix.basename(open.shown), siblings).map((name) => path.posix.join(shown, name));
  return new ToolFailure(`File not found: ${open.shown}`, { similar_files: similar });
}
