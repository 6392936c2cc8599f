import fs from "node:fs/promises";
import { defined } from "#foundation/defined";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { ToolFailure } from "../../contract/result.ts";
import type { TerminalFiles } from "../../contract/terminal.ts";
import { BadPatternError, type LineMatch, type SearchEngine } from "./engine.ts";
import { standingLines } from "./standing-lines.ts";

/** Counting stops here; beyond, the count is a lower bound. */
const maxCounted = 10_000;
const searchTimeoutMs = 60_000;

export interface SearchRequest {
  readonly pattern: string;
  readonly target: "content" | "files";
  readonly root: string;
  readonly glob?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly context: number;
  /** False: lines of this file are not shown; it holds secrets, whatever folder was searched. */
  mayRead(file: string): boolean;
  /** Where programs of the session could change the folder meanwhile: only lines that stand in the file of their path are shown. */
  readonly files?: Pick<TerminalFiles, "read"> | undefined;
  readonly signal: AbortSignal;
}

export interface SearchFound {
  /** Matching lines (with lines around them) of the wanted window. */
  readonly lines: readonly LineMatch[];
  /** Files of the wanted window: names found, or files with matches. */
  readonly files: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
  readonly isLowerBound: boolean;
  /** Files with matches that are not shown. */
  readonly hidden: readonly string[];
  /** Files that were other ones than those that were searched, once they were looked at again. */
  readonly changed: readonly string[];
}

/** Runs a search within its bounds of time and number. */
export async function search(engine: SearchEngine, request: SearchRequest): Promise<SearchFound> {
  using limit = deadline(searchTimeoutMs);
  const signal = linkSignals(request.signal, limit.signal);
  try {
    return request.target === "files"
      ? await findFiles(engine, request, signal)
      : await findLines(engine, request, signal);
  } catch (error) {
    if (error instanceof BadPatternError) {
      const where = error.position === undefined ? "" : ` at position ${error.position}`;
      throw new ToolFailure(`The pattern is not a valid regular expression${where}: ${error.message}`, {
        ...defined({ position: error.position }),
      });
    }
    if (limit.signal.aborted && !request.signal.aborted) {
      throw new ToolFailure(`The search took longer than ${searchTimeoutMs / 1000} s. Narrow path or pattern.`);
    }
    throw error;
  }
}

async function findLines(engine: SearchEngine, request: SearchRequest, signal: AbortSignal): Promise<SearchFound> {
  const lines: LineMatch[] = [];
  const counts = new Map<string, number>();
  const query = {
    pattern: request.pattern,
    root: request.root,
    context: request.context,
    signal,
    ...defined({ glob: request.glob }),
  };
  const hidden = new Set<string>();
  let total = 0;
  for await (const line of engine.content(query)) {
    if (!request.mayRead(line.path)) {
      hidden.add(line.path);
      continue;
    }
    if (line.isMatch) {
      total += 1;
      counts.set(line.path, (counts.get(line.path) ?? 0) + 1);
    }
    // Lines around a match belong to the window of the match they stand beside.
    const index = line.isMatch ? total - 1 : total;
    if (
      index >= request.offset &&
      (index < request.offset + request.limit || (!line.isMatch && index === request.offset + request.limit))
    )
      lines.push(line);
    if (total >= maxCounted) break;
  }
  const files = [...counts.keys()].slice(request.offset, request.offset + request.limit);
  const shown =
    request.files === undefined ? { lines, changed: [] } : await standingLines(lines, request.files, signal);
  return { ...shown, files, counts, total, isLowerBound: total >= maxCounted, hidden: [...hidden] };
}

async function findFiles(engine: SearchEngine, request: SearchRequest, signal: AbortSignal): Promise<SearchFound> {
  const found: string[] = [];
  for await (const file of engine.files({ glob: request.pattern, root: request.root, signal })) {
    found.push(file);
    if (found.length >= maxCounted) break;
  }
  const dated = await Promise.all(
    found.map(async (file) => ({
      file,
      at: engine.modifiedMs?.(file) ?? (await modifiedHere(file)),
    })),
  );
  dated.sort((left, right) => right.at - left.at || (left.file < right.file ? -1 : 1));
  return {
    lines: [],
    files: dated.slice(request.offset, request.offset + request.limit).map((one) => one.file),
    counts: new Map(),
    total: found.length,
    isLowerBound: found.length >= maxCounted,
    hidden: [],
    changed: [],
  };
}

function modifiedHere(file: string): Promise<number> {
  return fs.stat(file).then(
    (facts) => facts.mtimeMs,
    () => 0,
  );
}
