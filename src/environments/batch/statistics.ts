import { localTimestamp, type ToolStats } from "#agent";
import type { ExactJson } from "#foundation/text/exact-json";
import { exactFloat, exactJsonLines, toExact } from "#foundation/text/exact-json-text";
import type { PromptFacts } from "./prompt-facts.ts";
import { addReasoning, noReasoning, type ReasoningStats } from "./sample-stats.ts";

/** `statistics.json`; the first fields and their order are those that existing readers know. */
export interface BatchStatistics {
  readonly run_name: string;
  readonly distribution: string;
  readonly total_prompts: number;
  readonly total_batches: number;
  readonly batch_size: number;
  readonly model: string;
  readonly completed_at: string;
  readonly duration_seconds: number;
  readonly tool_statistics: Readonly<Record<string, ToolRates>>;
  readonly reasoning_statistics: ReasoningStats;
  readonly discarded_no_reasoning: number;
  readonly failed_prompts: number;
  readonly filtered_entries: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

interface ToolRates extends ToolStats {
  readonly success_rate: number;
  readonly failure_rate: number;
}

export interface RunFacts {
  readonly runName: string;
  readonly distribution: string;
  readonly totalPrompts: number;
  readonly totalBatches: number;
  readonly batchSize: number;
  readonly model: string;
  readonly finishedAt: Date;
  readonly seconds: number;
  readonly filteredEntries: number;
}

/** Sums over what was run. A prompt that failed and was run again counts with its last outcome. */
export function batchStatistics(run: RunFacts, facts: readonly PromptFacts[]): BatchStatistics {
  const last = [...new Map(facts.map((fact) => [fact.prompt_index, fact])).values()];
  // What was left out is not described.
  const kept = last.filter(({ status }) => status !== "discarded");
  const sum = (of: (fact: PromptFacts) => number): number => last.reduce((total, fact) => total + of(fact), 0);
  return {
    run_name: run.runName,
    distribution: run.distribution,
    total_prompts: run.totalPrompts,
    total_batches: run.totalBatches,
    batch_size: run.batchSize,
    model: run.model,
    completed_at: localTimestamp(run.finishedAt),
    duration_seconds: round(run.seconds, 2),
    tool_statistics: withRates(sumTools(kept)),
    reasoning_statistics: kept.reduce((total, fact) => addReasoning(total, fact.reasoning), noReasoning),
    discarded_no_reasoning: last.filter(({ status }) => status === "discarded").length,
    failed_prompts: last.filter(({ status }) => status === "failed").length,
    filtered_entries: run.filteredEntries,
    tokens: sum(({ tokens }) => tokens),
    cost_usd: round(
      sum(({ cost_usd }) => cost_usd),
      6,
    ),
  };
}

function sumTools(facts: readonly PromptFacts[]): ReadonlyMap<string, ToolStats> {
  const sums = new Map<string, ToolStats>();
  for (const { tool_stats } of facts)
    for (const [name, { count, success, failure }] of Object.entries(tool_stats)) {
      const before = sums.get(name) ?? { count: 0, success: 0, failure: 0 };
      sums.set(name, {
        count: before.count + count,
        success: before.success + success,
        failure: before.failure + failure,
      });
    }
  return sums;
}

/** Rates are shares of the results, in percent. */
function withRates(stats: ReadonlyMap<string, ToolStats>): Readonly<Record<string, ToolRates>> {
  const rated = [...stats].map(([name, { count, success, failure }]) => {
    const results = success + failure;
    const rate = (part: number): number => (results === 0 ? 0 : round((part / results) * 100, 2));
    return [name, { count, success, failure, success_rate: rate(success), failure_rate: rate(failure) }] as const;
  });
  return Object.fromEntries(rated);
}

/** Half to even on the exact binary value, as existing files have it. */
export function round(value: number, digits: number): number {
  const scaled = value * 10 ** digits;
  const isTie = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
  if (!isTie) return Number(value.toFixed(digits));
  return (2 * Math.round(scaled / 2)) / 10 ** digits;
}

/** As `statistics.json` has it: rates and durations are floats, also when they are whole. */
export function statisticsText(statistics: BatchStatistics): string {
  const tools = Object.entries(statistics.tool_statistics).map(([name, rates]) => [
    name,
    new Map<string, ExactJson>([
      ["count", rates.count],
      ["success", rates.success],
      ["failure", rates.failure],
      ["success_rate", exactFloat(rates.success_rate)],
      ["failure_rate", exactFloat(rates.failure_rate)],
    ]),
  ]);
  const fields = new Map<string, ExactJson>(
    Object.entries(statistics).map(([name, value]) => [name, toExact(value)] as const),
  );
  fields.set("duration_seconds", exactFloat(statistics.duration_seconds));
  fields.set("cost_usd", exactFloat(statistics.cost_usd));
  fields.set("tool_statistics", new Map(tools as [string, ExactJson][]));
  return exactJsonLines(fields);
}
