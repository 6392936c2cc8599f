import { type ShareGptTurn, trimBoth } from "#agent";
import { type CompressionLimits, planCompression, sum } from "./plan.ts";

export interface CompressionMetrics {
  readonly original_tokens: number;
  readonly compressed_tokens: number;
  readonly original_turns: number;
  readonly compressed_turns: number;
  readonly region: { readonly start: number; readonly end: number } | undefined;
  readonly still_over_limit: boolean;
  readonly skipped_under_target: boolean;
  readonly summarization_api_calls: number;
  readonly summarization_errors: number;
}

/** A summary, and what it took. */
export interface Summary {
  readonly text: string;
  readonly calls: number;
  readonly errors: number;
}

export interface CompressionDeps {
  readonly limits: CompressionLimits;
  /** Added to the system turn of what was compressed; empty: nothing. */
  readonly notice: string;
  count(text: string): number;
  summarize(turns: readonly ShareGptTurn[], start: number, signal: AbortSignal): Promise<Summary>;
}

export interface CompressedTrajectory {
  readonly turns: readonly ShareGptTurn[];
  readonly metrics: CompressionMetrics;
}

/** Replaces turns in the middle by one summary, so that what is left fits the target. */
export async function compressTrajectory(
  turns: readonly ShareGptTurn[],
  deps: CompressionDeps,
  signal: AbortSignal,
): Promise<CompressedTrajectory> {
  const counts = turns.map(({ value }) => deps.count(value));
  const tokens = sum(counts);
  const plan = planCompression(turns, counts, deps.limits);
  const unchanged: CompressionMetrics = {
    original_tokens: tokens,
    compressed_tokens: tokens,
    original_turns: turns.length,
    compressed_turns: turns.length,
    region: undefined,
    still_over_limit: plan.kind === "stuck",
    skipped_under_target: plan.kind === "fits",
    summarization_api_calls: 0,
    summarization_errors: 0,
  };
  if (plan.kind !== "replace") return { turns, metrics: unchanged };
  const { start, until } = plan;
  const summary = await deps.summarize(turns.slice(start, until), start, signal);
  const compressed: readonly ShareGptTurn[] = [
    ...turns.slice(0, start).map((turn) => withNotice(turn, deps.notice)),
    { from: "human", value: summary.text },
    ...turns.slice(until),
  ];
  const left = sum(compressed.map(({ value }) => deps.count(value)));
  return {
    turns: compressed,
    metrics: {
      ...unchanged,
      compressed_tokens: left,
      compressed_turns: compressed.length,
      region: { start, end: until },
      still_over_limit: left > deps.limits.targetTokens,
      summarization_api_calls: summary.calls,
      summarization_errors: summary.errors,
    },
  };
}

function withNotice(turn: ShareGptTurn, notice: string): ShareGptTurn {
  return turn.from === "system" ? { ...turn, value: turn.value + notice } : turn;
}

const longest = 3000;
const keptStart = 1500;
const keptEnd = 500;

/** What is to be summarised, turn by turn; of long ones the beginning and the end. */
export function turnsText(turns: readonly ShareGptTurn[], start: number): string {
  const texts = turns.map(
    ({ from, value }, index) => `[Turn ${start + index} - ${from.toUpperCase()}]:\n${cut(value)}`,
  );
  return texts.join("\n\n");
}

function cut(value: string): string {
  if (value.length <= longest) return value;
  const characters = Array.from(value);
  if (characters.length <= longest) return value;
  return `${characters.slice(0, keptStart).join("")}\n...[truncated]...\n${characters.slice(-keptEnd).join("")}`;
}

const prefix = "[CONTEXT SUMMARY]:";

/** The summary with its mark exactly once. */
export function markedSummary(text: string): string {
  const words = trimBoth(text);
  if (words.startsWith(prefix)) return words;
  return words === "" ? prefix : `${prefix} ${words}`;
}

/** What stands for turns that no model could summarise. */
export const failedSummary = `${prefix} [Summary generation failed - previous turns contained tool calls and responses that have been compressed to save context space.]`;

/** A summary without a model: which tools were called, and the first line of what they answered. */
export function plainSummary(turns: readonly ShareGptTurn[]): string {
  const lines = turns.flatMap(({ from, value }) => {
    if (from === "gpt")
      return [...value.matchAll(/<tool_call>\n\{"name": "([^"]*)"/g)].map(([, name]) => `Called ${name}.`);
    if (from !== "tool") return [];
    return [...value.matchAll(/"content": ([^\n]{0,200})/g)].map(([, content = ""]) => `Result: ${content}`);
  });
  return markedSummary(lines.join("\n"));
}
