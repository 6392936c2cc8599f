import { isRecord } from "#foundation/text/json";
import type { SharedRun } from "../rollout/shared-run.ts";
import type { Attempt } from "./attempt.ts";

/** What an evaluation keeps of an attempt; its tools and tokens are of no use elsewhere. */
export type SharedAttempt = Omit<Attempt, "tools" | "sequence" | "calls" | "breaks">;

export type SharedEvaluation = SharedRun<SharedAttempt>;

export function isSharedAttempt(value: unknown): value is SharedAttempt {
  return isRecord(value) && typeof value["reward"] === "number" && typeof value["taskId"] === "string";
}

export function sharedAttempt(attempt: Attempt): SharedAttempt {
  const { tools: _tools, sequence: _sequence, calls: _calls, breaks: _breaks, ...kept } = attempt;
  return kept;
}

export function fromElsewhere(attempt: SharedAttempt): Attempt {
  return { ...attempt, tools: [], sequence: { tokens: [], masks: [], logprobs: null }, calls: [], breaks: 0 };
}
