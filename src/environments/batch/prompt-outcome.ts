import type { BatchEntry } from "#agent";
import { isRecord } from "#foundation/text/json";
import type { PromptFacts } from "./prompt-facts.ts";

/** What became of one prompt, with its trajectory where it has one. */
export interface PromptOutcome {
  readonly facts: PromptFacts;
  readonly entry?: BatchEntry | undefined;
}

export function isPromptOutcome(value: unknown): value is PromptOutcome {
  return isRecord(value) && isRecord(value["facts"]) && typeof value["facts"]["prompt_index"] === "number";
}
