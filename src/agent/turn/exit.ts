import { assistantMessage, type FinishReason } from "#conversation";
import { type Explanation, explain, type ModelFailure, type Target } from "#model";
import type { TurnOutcome } from "./outcome.ts";
import { isTransient, type Problem } from "./problem.ts";
import { joinedFragments, joinedWith } from "./request/fragments.ts";
import type { Turn } from "./turn.ts";

/** A failure in words for a person; whoever knows the provider knows better words. */
export type ExplainFailure = (failure: ModelFailure, target: Target) => Explanation;

/** How a turn ends with a problem that nothing could treat. */
export function exitFor(problem: Problem, turn: Turn, inWords: ExplainFailure = explainPlainly): TurnOutcome {
  return problem.stage === "request" ? exitForFailure(problem, turn, inWords) : exitForDefect(problem, turn);
}

function explainPlainly(failure: ModelFailure): Explanation {
  return explain(failure);
}

/** A provider's words may end anywhere; what follows begins a sentence of its own. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function exitForFailure(
  { failure }: Extract<Problem, { stage: "request" }>,
  turn: Turn,
  inWords: ExplainFailure,
): TurnOutcome {
  const { code, message, hint } = inWords(failure, turn.target);
  const error = `${sentence(message)} ${hint}`.trim();
  const common = { error, errorClass: failure.kind, errorCode: code, failure };
  const shown = joinedFragments(turn.history).trim();
  // The beginning of the answer stands on the screen already; it is kept although the rest never came.
  if (shown !== "") return { ...common, exitReason: "partial_stream_recovery", ...kept(shown, "error") };
  switch (failure.kind) {
    case "context_overflow":
    case "long_context_tier":
      return { ...common, exitReason: "context_overflow", isCompressionExhausted: true };
    case "payload_too_large":
      return { ...common, exitReason: "payload_too_large", isCompressionExhausted: true };
    case "rate_limit":
      return { ...common, exitReason: "rate_limited" };
    case "invalid_response":
      return { ...common, exitReason: "invalid_response" };
    case "budget_exceeded":
      return { ...common, exitReason: "budget_exceeded" };
    default:
      return { ...common, exitReason: isTransient(failure) ? "api_retries_exhausted" : "non_retryable_error" };
  }
}

function exitForDefect(problem: Extract<Problem, { stage: "reply" }>, turn: Turn): TurnOutcome {
  const content = problem.collected.message.content;
  const whole = joinedWith(problem.collected, turn.history).trim();
  switch (problem.defect) {
    case "truncated-text": {
      const error = "The answer was still cut off after three continuations.";
      return { exitReason: "length_truncated", error, ...kept(whole, "length") };
    }
    case "truncated-call":
      return {
        exitReason: "truncated_tool_call",
        error: "The arguments of a tool call were cut off twice by the output limit. Nothing was run.",
      };
    case "thinking-exhausted": {
      const text =
        "The whole output was spent on thinking, so there is no answer. Lower the reasoning effort or raise the output limit (model.max_tokens), then ask again.";
      return { exitReason: "thinking_budget_exhausted", text, error: text };
    }
    case "incomplete-reasoning":
      return { exitReason: "incomplete_reasoning", error: "The model left its scratchpad open in every attempt." };
    case "responses-incomplete": {
      const error = "The answer stayed incomplete after three continuations.";
      return { exitReason: "responses_incomplete", error, ...(whole === "" ? {} : kept(whole, "incomplete")) };
    }
    case "unknown-tool":
    case "unreadable-arguments":
      return {
        exitReason: "invalid_tool_calls",
        error: "The model kept calling tools that do not exist or with arguments that cannot be read.",
      };
    case "planning-only":
      return { exitReason: "text_response", text: content, reply: problem.collected.message };
    case "empty":
      return {
        exitReason: "empty_response_exhausted",
        text: "(empty)",
        error: "The model returned nothing, several times.",
      };
  }
}

/** Words that are shown and go into the transcript. */
function kept(text: string, finish: FinishReason): Pick<TurnOutcome, "text" | "reply"> {
  return { text, reply: assistantMessage(text, { finish_reason: finish }) };
}
