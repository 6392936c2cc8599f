import { localTimestamp } from "#agent";
import type { ExactJson } from "#foundation/text/exact-json";
import { exactFloat, toExact } from "#foundation/text/exact-json-text";
import { round } from "../batch/statistics.ts";
import type { CompressionMetrics } from "./compress.ts";
import { sum } from "./plan.ts";

/** The `compression_metrics` of one line, as existing files have them. */
export function metricsOfEntry(metrics: CompressionMetrics): ExactJson {
  const { region } = metrics;
  return new Map<string, ExactJson>([
    ["original_tokens", metrics.original_tokens],
    ["compressed_tokens", metrics.compressed_tokens],
    ["tokens_saved", metrics.original_tokens - metrics.compressed_tokens],
    ["compression_ratio", exactFloat(round(ratioOf(metrics), 4))],
    ["original_turns", metrics.original_turns],
    ["compressed_turns", metrics.compressed_turns],
    ["turns_removed", metrics.original_turns - metrics.compressed_turns],
    [
      "compression_region",
      toExact({
        start_idx: region?.start ?? -1,
        end_idx: region?.end ?? -1,
        turns_count: region === undefined ? 0 : region.end - region.start,
      }),
    ],
    ["was_compressed", region !== undefined],
    ["still_over_limit", metrics.still_over_limit],
    ["skipped_under_target", metrics.skipped_under_target],
    ["summarization_api_calls", metrics.summarization_api_calls],
    ["summarization_errors", metrics.summarization_errors],
  ]);
}

function ratioOf({ compressed_tokens, original_tokens }: CompressionMetrics): number {
  return compressed_tokens / Math.max(original_tokens, 1);
}

export interface CompressionRun {
  readonly metrics: readonly CompressionMetrics[];
  readonly failed: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
}

/** The file of figures over a whole run. */
export function aggregateMetrics({ metrics, failed, startedAt, finishedAt }: CompressionRun): ExactJson {
  const total = (of: (one: CompressionMetrics) => number): number => sum(metrics.map(of));
  const compressed = metrics.filter(({ region }) => region !== undefined);
  const before = total(({ original_tokens }) => original_tokens);
  const after = total(({ compressed_tokens }) => compressed_tokens);
  const calls = total(({ summarization_api_calls }) => summarization_api_calls);
  const errors = total(({ summarization_errors }) => summarization_errors);
  const average = (of: (one: CompressionMetrics) => number, digits: number): ExactJson =>
    compressed.length === 0 ? 0 : exactFloat(round(sum(compressed.map(of)) / compressed.length, digits));
  return new Map<string, ExactJson>([
    [
      "summary",
      new Map<string, ExactJson>([
        ["total_trajectories", metrics.length],
        ["trajectories_compressed", compressed.length],
        ["trajectories_skipped_under_target", metrics.filter((one) => one.skipped_under_target).length],
        ["trajectories_still_over_limit", metrics.filter((one) => one.still_over_limit).length],
        ["trajectories_failed", failed],
        ["compression_rate", exactFloat(round(compressed.length / Math.max(metrics.length, 1), 4))],
      ]),
    ],
    [
      "tokens",
      new Map<string, ExactJson>([
        ["total_before", before],
        ["total_after", after],
        ["total_saved", before - after],
        ["overall_compression_ratio", exactFloat(round(after / Math.max(before, 1), 4))],
      ]),
    ],
    [
      "turns",
      toExact({
        total_before: total((one) => one.original_turns),
        total_after: total((one) => one.compressed_turns),
        total_removed: total((one) => one.original_turns - one.compressed_turns),
      }),
    ],
    [
      "averages",
      new Map<string, ExactJson>([
        ["avg_compression_ratio", compressed.length === 0 ? exactFloat(1) : average(ratioOf, 4)],
        ["avg_tokens_saved_per_compressed", average((one) => one.original_tokens - one.compressed_tokens, 1)],
        ["avg_turns_removed_per_compressed", average((one) => one.original_turns - one.compressed_turns, 2)],
      ]),
    ],
    [
      "summarization",
      new Map<string, ExactJson>([
        ["total_api_calls", calls],
        ["total_errors", errors],
        ["success_rate", exactFloat(round(1 - errors / Math.max(calls, 1), 4))],
      ]),
    ],
    [
      "processing",
      new Map<string, ExactJson>([
        ["start_time", localTimestamp(startedAt)],
        ["end_time", localTimestamp(finishedAt)],
        ["duration_seconds", exactFloat(round((finishedAt.getTime() - startedAt.getTime()) / 1000, 2))],
      ]),
    ],
  ]);
}
