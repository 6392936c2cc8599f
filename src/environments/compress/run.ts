import { createReadStream } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { embedJson, type ShareGptTurn } from "#agent";
import { describe, UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { decodeExact, type ExactJson } from "#foundation/text/exact-json";
import { exactJsonLines } from "#foundation/text/exact-json-text";
import { readLines } from "#foundation/text/lines";
import { type CompressionDeps, type CompressionMetrics, compressTrajectory } from "./compress.ts";
import { aggregateMetrics, metricsOfEntry } from "./metrics.ts";

export interface CompressionJob {
  /** A file of trajectories, or a folder of them. */
  readonly input: string;
  readonly isFolder: boolean;
  readonly output: string;
  readonly metricsFile: string | undefined;
  readonly writesMetrics: boolean;
  /** Entries that are still too long are left out. */
  readonly dropsOverLimit: boolean;
  readonly isDryRun: boolean;
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** Draws what is compressed; undefined: all. */
  readonly sample?: { readonly percent: number; readonly seed: number } | undefined;
  now(): Date;
  onProgress(progress: CompressionProgress): void;
}

export interface CompressionProgress {
  readonly done: number;
  readonly total: number;
  readonly compressed: number;
  readonly skipped: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly calls: number;
  readonly inFlight: number;
}

export interface CompressionOutcome {
  readonly metrics: readonly CompressionMetrics[];
  readonly failed: number;
  readonly files: readonly string[];
  readonly aggregate: ExactJson;
}

type Entry = ReadonlyMap<string, ExactJson>;
type Progress = { -readonly [K in keyof CompressionProgress]: CompressionProgress[K] };

/** Compresses every trajectory of a file or a folder. Lines keep their order; whatever is not a conversation stays as it is. */
export async function compressFiles(
  job: CompressionJob,
  deps: CompressionDeps,
  signal: AbortSignal,
): Promise<CompressionOutcome> {
  const startedAt = job.now();
  const sources = await readSources(job);
  const progress: Progress = {
    ...{ done: 0, total: sources.reduce((count, { entries }) => count + entries.length, 0), compressed: 0 },
    ...{ skipped: 0, failed: 0, timedOut: 0, calls: 0, inFlight: 0 },
  };
  const metrics: CompressionMetrics[] = [];
  const written: string[] = [];
  for (const { name, entries } of sources) {
    const results = await inParallel(entries, job.concurrency, async (entry) => {
      progress.inFlight += 1;
      const outcome = await compressEntry(entry, { job, deps }, signal);
      progress.inFlight -= 1;
      progress.done += 1;
      if (outcome.metrics !== undefined) metrics.push(outcome.metrics);
      count(progress, outcome);
      job.onProgress(progress);
      return outcome.entry;
    });
    if (job.isDryRun) continue;
    const file = job.isFolder ? path.join(job.output, name) : job.output;
    await mkdir(path.dirname(file), { recursive: true });
    const lines = results.flatMap((entry) => (entry === undefined ? [] : [`${embedJson(entry)}\n`]));
    await writeFileAtomic(file, lines.join(""));
    written.push(file);
  }
  const aggregate = aggregateMetrics({ metrics, failed: progress.failed, startedAt, finishedAt: job.now() });
  if (!job.isDryRun && job.metricsFile !== undefined) await writeFileAtomic(job.metricsFile, exactJsonLines(aggregate));
  return { metrics, failed: progress.failed, files: written, aggregate };
}

function count(progress: Progress, { metrics, problem }: EntryOutcome): void {
  if (problem !== undefined) progress.failed += 1;
  if (problem === "timeout") progress.timedOut += 1;
  if (metrics?.region !== undefined) progress.compressed += 1;
  if (metrics?.skipped_under_target === true) progress.skipped += 1;
  progress.calls += metrics?.summarization_api_calls ?? 0;
}

interface EntryOutcome {
  /** Undefined: it is left out. */
  readonly entry: Entry | undefined;
  readonly metrics?: CompressionMetrics | undefined;
  readonly problem?: "timeout" | "failed" | undefined;
}

async function compressEntry(
  entry: Entry,
  { job, deps }: { readonly job: CompressionJob; readonly deps: CompressionDeps },
  signal: AbortSignal,
): Promise<EntryOutcome> {
  const turns = turnsOf(entry);
  if (turns === undefined) return { entry };
  using limit = deadline(job.timeoutMs);
  const stop = linkSignals(signal, limit.signal);
  try {
    const { turns: left, metrics } = await raceAbort(compressTrajectory(turns, deps, stop), stop);
    if (metrics.region === undefined) return { entry: keepsOrDrops(entry, metrics, job), metrics };
    const result = new Map(entry);
    result.set(
      "conversations",
      left.map((turn) => new Map(Object.entries(turn))),
    );
    if (job.writesMetrics) result.set("compression_metrics", metricsOfEntry(metrics));
    return { entry: keepsOrDrops(result, metrics, job), metrics };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) return { entry: undefined, problem: "timeout" };
    if (error instanceof UserError) throw error;
    return { entry, problem: "failed" };
  }
}

function keepsOrDrops(entry: Entry, metrics: CompressionMetrics, job: CompressionJob): Entry | undefined {
  return metrics.still_over_limit && job.dropsOverLimit ? undefined : entry;
}

function turnsOf(entry: Entry): readonly ShareGptTurn[] | undefined {
  const turns = entry.get("conversations");
  if (!Array.isArray(turns)) return undefined;
  return (turns as readonly Entry[]).map(
    (turn) => Object.fromEntries([...turn].map(([key, value]) => [key, value])) as unknown as ShareGptTurn,
  );
}

async function readSources(job: CompressionJob) {
  const names = job.isFolder
    ? (await readdir(job.input)).filter((name) => name.endsWith(".jsonl")).sort()
    : [path.basename(job.input)];
  if (names.length === 0) throw new UserError(`${job.input} has no .jsonl files.`, { exitCode: 2 });
  return await Promise.all(
    names.map(async (name) => {
      const entries = await readEntries(job.isFolder ? path.join(job.input, name) : job.input);
      return { name, entries: job.sample === undefined ? entries : drawEntries(entries, job.sample) };
    }),
  );
}

async function readEntries(file: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let number = 0;
  try {
    for await (const line of readLines(createReadStream(file))) {
      number += 1;
      if (line.trim() === "") continue;
      const value = decodeExact(line.trim())?.value;
      if (!(value instanceof Map)) throw new Error(`line ${number} is not a JSON object`);
      entries.push(value as Entry);
    }
  } catch (error) {
    throw new UserError(`${file} could not be read: ${describe(error)}`, { exitCode: 2, cause: error });
  }
  return entries;
}

/** The same number draws the same lines; they keep their order. */
function drawEntries(
  entries: readonly Entry[],
  { percent, seed }: { readonly percent: number; readonly seed: number },
) {
  const wanted = Math.max(1, Math.floor((entries.length * percent) / 100));
  const random = seededRandom(seed);
  const ranked = entries.map((_, index) => ({ index, rank: random() })).sort((left, right) => left.rank - right.rank);
  const chosen = new Set(ranked.slice(0, wanted).map(({ index }) => index));
  return entries.filter((_, index) => chosen.has(index));
}

/** Small and repeatable; not for secrets. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function inParallel<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array<R>(items.length);
  const queue = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
