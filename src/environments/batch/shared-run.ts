import type { BatchEntry } from "#agent";
import type { PromptFacts } from "./prompt-facts.ts";

/** What became of one prompt, with its trajectory where it has one. */
export interface PromptOutcome {
  readonly facts: PromptFacts;
  readonly entry?: BatchEntry | undefined;
}

/** A run that several machines work on: who has which prompt, and what became of those that are done. */
export interface SharedRun {
  /** The right to work on a prompt, held until it is disposed; undefined while somebody else has it. */
  claim(key: string): Promise<AsyncDisposable | undefined>;
  outcome(key: string): Promise<PromptOutcome | undefined>;
  /** False when somebody else was faster: the first outcome stays. */
  finish(key: string, outcome: PromptOutcome): Promise<boolean>;
  /** It is to be done again. */
  forget(key: string): Promise<void>;
}
