import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { batchEntry } from "../../src/agent/trajectory/batch-entry.ts";
import { toShareGpt } from "../../src/agent/trajectory/sharegpt.ts";
import { mergeBatches } from "../../src/environments/batch/merge.ts";
import type { PromptFacts } from "../../src/environments/batch/prompt-facts.ts";
import { promptHash, RunFolder } from "../../src/environments/batch/run-folder.ts";
import { reasoningStats, toolStats } from "../../src/environments/batch/sample-stats.ts";
import { batchStatistics, statisticsText } from "../../src/environments/batch/statistics.ts";
import { markedSummary, turnsText } from "../../src/environments/compress/compress.ts";
import { usualCompression } from "../../src/environments/compress/options.ts";
import { compressFiles } from "../../src/environments/compress/run.ts";
import { silentLogger } from "../../src/foundation/files/logger.ts";
import { never } from "../../src/foundation/lifecycle/abort.ts";
import { knownTools, type Transcript } from "./transcripts.ts";

/** The files that both programs write for the same transcripts. */
export interface TrajectoryFiles {
  readonly trajectories: string;
  readonly statistics: string;
  readonly compressed: string;
  readonly metrics: string;
}

/** What Hermes writes for transcripts, in a folder of its own. */
export async function writeFiles(transcripts: readonly Transcript[], folder: string): Promise<TrajectoryFiles> {
  await mkdir(folder, { recursive: true });
  const run = new RunFolder(path.join(folder, "r"), silentLogger);
  await run.prepare({ isResumed: false, isOverwritten: true });
  const size = Math.max(1, Math.ceil(transcripts.length / 5));
  const facts: PromptFacts[] = [];
  for (const [index, one] of transcripts.entries()) facts.push(await save(one, Math.floor(index / size), run));
  const merged = await mergeBatches(run, new Set(knownTools));
  const statistics = batchStatistics(
    {
      ...{ runName: "r", distribution: "default", totalPrompts: transcripts.length, batchSize: size, model: "m" },
      ...{ totalBatches: Math.ceil(transcripts.length / size), finishedAt: new Date(0), seconds: 0 },
      filteredEntries: merged.filtered,
    },
    facts,
  );
  const source = path.join(folder, "r", "trajectories.jsonl");
  const output = path.join(folder, "compressed.jsonl");
  await compress(source, output);
  return {
    trajectories: await readFile(source, "utf8"),
    statistics: statisticsText(statistics),
    compressed: await readFile(output, "utf8"),
    metrics: await readFile(path.join(folder, "compressed_metrics.json"), "utf8"),
  };
}

async function save(transcript: Transcript, batch: number, run: RunFolder): Promise<PromptFacts> {
  const { messages, prompt_index, query, tools, completed, partial, api_calls, toolsets } = transcript;
  const used = toolStats(messages);
  const reasoning = reasoningStats(messages);
  const isKept = reasoning.turns_with_reasoning > 0;
  const entry = batchEntry({
    promptIndex: prompt_index,
    conversations: toShareGpt({ messages, query, tools, log: silentLogger }),
    metadata: { batch_num: batch, timestamp: "2026-01-02T03:04:05", model: "m" },
    completed,
    partial,
    apiCalls: api_calls,
    toolsets,
    knownTools,
    usedTools: used,
  });
  if (isKept) await run.save(batch, entry);
  return {
    ...{ prompt_index, batch_num: batch, sha256: promptHash(query), api_calls, reasoning },
    ...{ tokens: 0, cost_usd: 0, seconds: 0, status: isKept ? "saved" : "discarded" },
    tool_stats: Object.fromEntries(used),
  };
}

async function compress(input: string, output: string): Promise<void> {
  await compressFiles(
    {
      ...{ input, output, isFolder: false, writesMetrics: true, dropsOverLimit: false, isDryRun: false },
      ...{ concurrency: 1, timeoutMs: 60_000, now: () => new Date(0), onProgress: () => undefined },
      metricsFile: output.replace(".jsonl", "_metrics.json"),
    },
    {
      limits: {
        targetTokens: 600,
        summaryTokens: 40,
        protectedTurns: usualCompression.protected_turns,
        alignsToPairs: true,
      },
      notice: usualCompression.output.summary_notice_text,
      count: (text) => Math.floor(Array.from(text).length / 4),
      summarize: (turns, start) => {
        const digest = createHash("sha256").update(turnsText(turns, start)).digest("hex");
        return Promise.resolve({ text: markedSummary(digest), calls: 1, errors: 0 });
      },
    },
    never,
  );
}

/** Where two texts first differ, for people; undefined when they are equal. */
export function firstDifference(ours: string, theirs: string): string | undefined {
  if (ours === theirs) return undefined;
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  const line = ours.slice(0, at).split("\n").length;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
  return `line ${line}:\n  ours   ${around(ours)}\n  theirs ${around(theirs)}`;
}

/** Both without what depends on the time of the run, and without the figures only one of them has. */
export function comparable({ trajectories, statistics, compressed, metrics }: TrajectoryFiles): TrajectoryFiles {
  return {
    trajectories,
    compressed,
    statistics: statistics
      .replace(/"(completed_at|duration_seconds)": [^\n]*\n/g, "")
      .replace(/(\n {4}"turns_without_reasoning": \d+\n {2}\})[\s\S]*$/, "$1"),
    metrics: metrics.replace(/,\n {2}"processing": [\s\S]*$/, ""),
  };
}
