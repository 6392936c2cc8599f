import { fallbackTiming, hasFallbackLeft, localFailure, type ModelFailure, switchTarget } from "#model";
import type { Problem } from "../turn/problem.ts";
import type { Turn } from "../turn/turn.ts";
import { compressHistoryName } from "./compress-history.ts";
import type { Relief, Remedy } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";
import { waitAndRetryName } from "./wait-and-retry.ts";

/** Remedies that start afresh with another model. */
const restarted = [waitAndRetryName, compressHistoryName, "retry-empty", "prefill-thinking", "nudge-after-tools"];

const earlyName = "switch-early";

/** Limits and malformed answers: going elsewhere is quicker than waiting, where there is an elsewhere. */
export function switchEarly(deps: RemedyDeps): Remedy {
  return {
    name: earlyName,
    limit: { per: "turn", times: 50 },
    treats: (problem, turn) => problem.stage === "request" && isEarly(problem.failure, turn, deps),
    async apply(problem, turn) {
      if (problem.stage !== "request") return undefined;
      // This use is counted already.
      const timing = timingOf(problem.failure, turn, { deps, failedBefore: turn.usesOf(earlyName, "turn") - 1 });
      if (timing.kind === "wait-first") return { kind: "retry", waitMs: timing.waitMs };
      return moveOn(problem.failure, turn, deps);
    },
  };
}

/** Everything that is left: the next model of the chain, also for a model that keeps saying nothing. */
export function switchTargetLate(deps: RemedyDeps): Remedy {
  return {
    name: "switch-target",
    limit: { per: "turn", times: 50 },
    treats: (problem) => mayMoveOn(problem, deps),
    apply: (problem, turn) => moveOn(failureOf(problem, turn), turn, deps),
  };
}

function mayMoveOn(problem: Problem, deps: RemedyDeps): boolean {
  if (!hasFallbackLeft(deps.conversation.fallback)) return false;
  if (problem.stage === "reply") return problem.defect === "empty";
  // Signatures were dropped and are still refused: only another model can help.
  return problem.failure.mayFallBack || problem.failure.kind === "thinking_signature";
}

function isEarly(failure: ModelFailure, turn: Turn, deps: RemedyDeps): boolean {
  const { kind } = timingOf(failure, turn, { deps, failedBefore: turn.usesOf(earlyName, "turn") });
  if (failure.kind === "invalid_response") return kind !== "never";
  return kind === "now" || kind === "wait-first";
}

function timingOf(
  failure: ModelFailure,
  turn: Turn,
  { deps, failedBefore }: { readonly deps: RemedyDeps; readonly failedBefore: number },
) {
  return fallbackTiming(failure, {
    hasFallbackLeft: hasFallbackLeft(deps.conversation.fallback),
    canRotate: deps.canRotate(turn.target),
    onRateLimit: deps.onRateLimit,
    attempt: failedBefore + turn.usesOf(waitAndRetryName, "step") + 1,
  });
}

async function moveOn(failure: ModelFailure, turn: Turn, deps: RemedyDeps): Promise<Relief | undefined> {
  const { conversation, resolve, logger, clock } = deps;
  const left = { state: conversation.fallback, target: turn.target, failure };
  const outcome = await switchTarget(left, { resolve, logger, nowMs: clock.now() }, turn.signal);
  conversation.fallback = outcome.state;
  if (outcome.kind === "exhausted") return undefined;
  conversation.target = outcome.target;
  conversation.meter.forget();
  turn.switchTo(outcome.target, outcome.notice);
  turn.resetRemedies(restarted);
  deps.onFallback(outcome.event);
  turn.emit({ type: "notice", level: "warn", text: outcome.notice });
  return { kind: "retry", waitMs: 0 };
}

/** A reply that says nothing, in the form in which the chain is told why a model was left. */
function failureOf(problem: Problem, turn: Turn): ModelFailure {
  if (problem.stage === "request") return problem.failure;
  return localFailure("invalid_response", turn.target, { message: "the model returned nothing, several times" });
}
