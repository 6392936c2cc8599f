import { createHash } from "node:crypto";
import path from "node:path";
import { localTimestamp } from "#agent";
import { describe } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { never } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import { drawToolsets } from "#tools";
import type { PromptRow } from "../datasets/prompts.ts";
import type { Rollouts } from "../rollout/open-rollouts.ts";
import { type SharedRun, workShared } from "../rollout/shared-run.ts";
import { type MergeOutcome, mergeBatches } from "./merge.ts";
import type { PromptFacts } from "./prompt-facts.ts";
import type { PromptOutcome } from "./prompt-outcome.ts";
import { type BatchCounts, type EarlierWork, promptHash, type RunFolder } from "./run-folder.ts";
import { type PromptRun, type PromptSettings, runPrompt } from "./run-prompt.ts";
import { reasoningOfTurns } from "./sample-stats.ts";
import { type BatchStatistics, batchStatistics, statisticsText } from "./statistics.ts";

export interface BatchOptions {
  readonly runName: string;
  readonly distribution: string;
  readonly prompts: readonly PromptRow[];
  readonly batchSize: number;
  readonly workers: number;
  readonly settings: PromptSettings;
  readonly folder: RunFolder;
  readonly rollouts: Rollouts;
  /** Where other machines work on the same run; each of them ends with all of it. */
  readonly shared?: SharedRun<PromptOutcome> | undefined;
  /** What failed before is tried again. */
  readonly isResumed: boolean;
  /** What was done before is done again, on every machine. */
  readonly isOverwritten: boolean;
  onProgress(event: BatchEvent): void;
}

export type BatchEvent =
  | {
      readonly kind: "started";
      readonly total: number;
      readonly done: number;
      readonly left: number;
      readonly batches: number;
    }
  | { readonly kind: "prompt"; readonly facts: PromptFacts }
  | { readonly kind: "batch"; readonly number: number }
  | { readonly kind: "warning"; readonly text: string };

export interface BatchOutcome {
  readonly statistics: BatchStatistics;
  readonly facts: readonly PromptFacts[];
  readonly ran: number;
  readonly merged: MergeOutcome;
  readonly isStopped: boolean;
}

interface Batch {
  readonly number: number;
  readonly rows: readonly PromptRow[];
}

/** Runs what is left of the prompts, batch by batch over the workers, then merges and counts. */
export async function runBatch(options: BatchOptions, signal: AbortSignal): Promise<BatchOutcome> {
  const { folder, prompts, batchSize, onProgress, rollouts, runName } = options;
  const { clock } = rollouts.host.machine;
  const startedMs = clock.now();
  const problem = await folder.checkpointProblem(runName);
  if (problem !== undefined) onProgress({ kind: "warning", text: problem });
  if (options.isOverwritten) for (const row of prompts) await options.shared?.forget(sharedKey({ row }));
  const earlier = await folder.earlierWork(signal);
  const left = remaining(prompts, earlier);
  const batches = split(left, batchSize, earlier.nextBatch);
  onProgress({
    kind: "started",
    total: prompts.length,
    done: prompts.length - left.length,
    left: left.length,
    batches: batches.length,
  });
  const fresh = await runAll(batches, { ...options, earlier }, signal);
  const merged = await mergeBatches(folder, new Set(rollouts.tools.registry.snapshot().tools.keys()));
  const facts = await wholeFacts([...earlier.facts, ...fresh], folder);
  const statistics = batchStatistics(
    {
      runName,
      distribution: options.distribution,
      totalPrompts: prompts.length,
      totalBatches: Math.ceil(prompts.length / batchSize),
      batchSize,
      model: options.settings.modelName,
      finishedAt: new Date(clock.now()),
      seconds: (clock.now() - startedMs) / 1000,
      filteredEntries: merged.filtered,
    },
    facts,
  );
  await writeFileAtomic(path.join(folder.folder, "statistics.json"), statisticsText(statistics));
  return { statistics, facts, ran: fresh.length, merged, isStopped: signal.aborted };
}

/** Each stored occurrence takes one row away, so that a prompt that stands twice in the dataset is run twice. */
function remaining(prompts: readonly PromptRow[], { done }: EarlierWork): readonly PromptRow[] {
  const counts = new Map(done);
  return prompts.filter(({ prompt }) => {
    const hash = promptHash(prompt);
    const count = counts.get(hash) ?? 0;
    counts.set(hash, count - 1);
    return count <= 0;
  });
}

function split(rows: readonly PromptRow[], size: number, first: number): readonly Batch[] {
  const count = Math.ceil(rows.length / size);
  return Array.from({ length: count }, (_, index) => ({
    number: first + index,
    rows: rows.slice(index * size, (index + 1) * size),
  }));
}

/** Workers take one batch after the other; the prompts of a batch run one after the other. */
type BatchWork = BatchOptions & { readonly earlier: EarlierWork };

async function runAll(batches: readonly Batch[], options: BatchWork, signal: AbortSignal): Promise<PromptFacts[]> {
  const { folder, onProgress } = options;
  const facts: PromptFacts[] = [];
  const counts = new Map<number, BatchCounts>();
  const elsewhere: PromptRun[] = [];
  const queue = [...batches];
  const worker = async (): Promise<void> => {
    for (let batch = queue.shift(); batch !== undefined && !signal.aborted; batch = queue.shift()) {
      const own: PromptFacts[] = [];
      for (const row of batch.rows) {
        if (signal.aborted) break;
        const run = { row, batch: batch.number };
        const outcome = await settled(() => work(run, options, signal), signal);
        if (outcome === undefined) break;
        if (outcome === "taken") {
          elsewhere.push(run);
          continue;
        }
        await folder.note(outcome);
        own.push(outcome);
        facts.push(outcome);
        onProgress({ kind: "prompt", facts: outcome });
      }
      counts.set(batch.number, {
        processed: own.length,
        skipped: 0,
        discarded_no_reasoning: own.filter(({ status }) => status === "discarded").length,
      });
      await checkpoint(facts, counts, options);
      onProgress({ kind: "batch", number: batch.number });
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, batches.length) }, worker));
  for await (const outcome of othersWork(elsewhere, options, signal)) {
    await folder.note(outcome);
    facts.push(outcome);
    onProgress({ kind: "prompt", facts: outcome });
  }
  await checkpoint(facts, counts, options);
  return facts;
}

/** Runs a prompt, or takes over what became of it elsewhere; `taken` while somebody else is at it. */
async function work(run: PromptRun, options: BatchWork, signal: AbortSignal): Promise<PromptFacts | "taken"> {
  const { shared } = options;
  if (shared === undefined) return await keep(await runPrompt(run, options, signal), run, options);
  const key = sharedKey(run);
  // What failed is done once more by a run that is resumed.
  if (options.isResumed && (await shared.outcome(key))?.facts.status === "failed") await shared.forget(key);
  const outcome = await workShared(shared, key, () => runPrompt(run, options, signal));
  return outcome === "taken" ? outcome : await keep(outcome, run, options);
}

/** Waits for what others have in hand; what a dead one leaves is done here. */
async function* othersWork(
  elsewhere: readonly PromptRun[],
  options: BatchWork,
  signal: AbortSignal,
): AsyncGenerator<PromptFacts, void> {
  let left = elsewhere;
  while (left.length > 0 && !signal.aborted) {
    const still: PromptRun[] = [];
    for (const run of left) {
      const outcome = await settled(() => work(run, { ...options, isResumed: false }, signal), signal);
      if (outcome === undefined) return;
      if (outcome === "taken") still.push(run);
      else yield outcome;
    }
    left = still;
    if (left.length > 0) await settled(() => options.rollouts.host.machine.clock.sleep(lookAgainMs, signal), signal);
  }
}

const lookAgainMs = 1_000;

/** Writes the line of a prompt into the folder of this machine. */
async function keep(
  { facts, entry }: PromptOutcome,
  { batch }: PromptRun,
  { folder }: BatchWork,
): Promise<PromptFacts> {
  if (entry === undefined || (await folder.save(batch, entry))) return { ...facts, batch_num: batch };
  return { ...facts, status: "failed", error: "its line could not be written; the log says why" };
}

function sharedKey({ row }: Pick<PromptRun, "row">): string {
  return `${row.index}:${promptHash(row.prompt)}`;
}

/** Undefined when the run was stopped meanwhile. */
async function settled<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** For people and other programs; a checkpoint that cannot be written stops nothing. */
async function checkpoint(
  facts: readonly PromptFacts[],
  counts: ReadonlyMap<number, BatchCounts>,
  { folder, runName, rollouts, onProgress, earlier }: BatchWork,
): Promise<void> {
  const { clock } = rollouts.host.machine;
  const all = [...earlier.facts, ...facts];
  const finished = all.filter(({ status }) => status !== "failed");
  try {
    await folder.writeCheckpoint({
      run_name: runName,
      completed_prompts: [...new Set(finished.map(({ prompt_index }) => prompt_index))].sort((a, b) => a - b),
      batch_stats: Object.fromEntries([...counts].map(([number, count]) => [String(number), count])),
      last_updated: localTimestamp(new Date(clock.now())),
      discarded: all
        .filter(({ status }) => status === "discarded")
        .map(({ prompt_index, sha256 }) => ({ prompt_index, sha256 })),
    });
  } catch (error) {
    onProgress({ kind: "warning", text: `The checkpoint could not be written: ${describe(error)}` });
  }
}

/** With those that a killed run could no longer note, from their lines. */
async function wholeFacts(facts: readonly PromptFacts[], folder: RunFolder): Promise<readonly PromptFacts[]> {
  const noted = new Set(facts.filter(({ status }) => status === "saved").map(keyOf));
  const found: PromptFacts[] = [];
  for await (const { entry } of folder.entries(never)) {
    const { prompt_index, metadata, tool_stats, conversations, api_calls } = entry;
    const batch_num = isRecord(metadata) && typeof metadata["batch_num"] === "number" ? metadata["batch_num"] : -1;
    if (typeof prompt_index !== "number" || noted.has(keyOf({ prompt_index, batch_num }))) continue;
    found.push({
      prompt_index,
      sha256: "",
      batch_num,
      status: "saved",
      tool_stats: usedTools(tool_stats),
      reasoning: reasoningOfTurns(Array.isArray(conversations) ? conversations : []),
      api_calls: typeof api_calls === "number" ? api_calls : 0,
      tokens: 0,
      cost_usd: 0,
      seconds: 0,
    });
  }
  return [...facts, ...found];
}

function keyOf({ prompt_index, batch_num }: Pick<PromptFacts, "prompt_index" | "batch_num">): string {
  return `${prompt_index}/${batch_num}`;
}

function usedTools(stats: unknown): PromptFacts["tool_stats"] {
  if (!isRecord(stats)) return {};
  const used = Object.entries(stats as PromptFacts["tool_stats"]).filter(([, { count }]) => count > 0);
  return Object.fromEntries(used);
}

/** Draws the toolsets of each prompt; with a number the same prompt gets the same ones in every run. */
export function toolsetDraw(
  chances: Readonly<Record<string, number>>,
  rng: number | undefined,
): (prompt: string) => readonly string[] {
  if (rng === undefined) return () => drawToolsets(chances, Math.random);
  return (prompt) => {
    let step = 0;
    return drawToolsets(chances, () => {
      const digest = createHash("sha256").update(`${rng}\n${step++}\n${prompt}`).digest();
      return digest.readUInt32BE(0) / 2 ** 32;
    });
  };
}
