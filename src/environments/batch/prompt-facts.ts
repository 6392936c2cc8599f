import { existsSync } from "node:fs";
import { loadTrajectories, type ToolStats } from "#agent";
import type { ReasoningStats } from "./sample-stats.ts";

/** What is remembered of each prompt that was run, beside its trajectory: one line of `progress.jsonl`. */
export interface PromptFacts {
  readonly prompt_index: number;
  readonly sha256: string;
  readonly batch_num: number;
  readonly status: "saved" | "discarded" | "failed";
  readonly error?: string | undefined;
  readonly tool_stats: Readonly<Record<string, ToolStats>>;
  readonly reasoning: ReasoningStats;
  readonly api_calls: number;
  readonly tokens: number;
  readonly cost_usd: number;
  readonly seconds: number;
}

export async function readFacts(file: string, signal: AbortSignal): Promise<readonly PromptFacts[]> {
  if (!existsSync(file)) return [];
  const facts: PromptFacts[] = [];
  for await (const line of loadTrajectories(file, { onInvalid: "skip", signal })) if (isFacts(line)) facts.push(line);
  return facts;
}

function isFacts(line: Readonly<Record<string, unknown>>): line is Readonly<Record<string, unknown>> & PromptFacts {
  return typeof line["prompt_index"] === "number" && typeof line["sha256"] === "string" && "tool_stats" in line;
}
