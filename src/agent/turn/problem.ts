import type { Collected, FailureKind, ModelFailure } from "#model";

/** What is wrong with a reply that did arrive. */
export type Defect =
  /** The output limit cut the text. */
  | "truncated-text"
  /** The output limit, or the sender, cut the arguments of a call. */
  | "truncated-call"
  /** The whole output went into reasoning. */
  | "thinking-exhausted"
  /** A scratchpad was opened and never closed. */
  | "incomplete-reasoning"
  /** The Responses wire says the answer is not finished. */
  | "responses-incomplete"
  | "unknown-tool"
  | "unreadable-arguments"
  /** Neither visible text nor a call. */
  | "empty"
  /** An announcement of work instead of the work. */
  | "planning-only";

/** What went wrong with an attempt. A remedy may make another one worthwhile. */
export type Problem =
  | {
      readonly stage: "request";
      readonly failure: ModelFailure;
      /** What had been said when the stream broke. */
      readonly partial?: Collected;
    }
  | { readonly stage: "reply"; readonly defect: Defect; readonly collected: Collected };

/** Failures that pass by themselves: the same request may work a moment later. Others need something changed first. */
const transient: ReadonlySet<FailureKind> = new Set([
  "rate_limit",
  "overloaded",
  "server_error",
  "timeout",
  "invalid_response",
  "unknown",
]);

export function isTransient(failure: ModelFailure): boolean {
  return failure.isRetryable && transient.has(failure.kind);
}

/** One short line for events and logs. */
export function describeProblem(problem: Problem): string {
  if (problem.stage === "reply") return problem.defect;
  const { kind, message } = problem.failure;
  return `${kind}: ${message}`.slice(0, 300);
}
