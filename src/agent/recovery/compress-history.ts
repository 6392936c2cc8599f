import type { ModelFailure } from "#model";
import type { Turn } from "../turn/turn.ts";
import type { Remedy, RemedyContext } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";

const steps = [256_000, 128_000, 64_000, 32_000, 16_000, 8_000];
const smallestStated = 1_024;
const largestStated = 10_000_000;

export const compressHistoryName = "compress-history";

/** The request is too large: learn the real window where the message names it, compress, and try again. */
export function compressHistory(deps: RemedyDeps, context: RemedyContext): Remedy {
  return {
    name: compressHistoryName,
    limit: { per: "turn", times: 3 },
    treats: (problem) =>
      problem.stage === "request" &&
      (problem.failure.kind === "context_overflow" || problem.failure.kind === "payload_too_large"),
    async apply(problem, turn) {
      if (problem.stage !== "request") return undefined;
      const { failure } = problem;
      const isOverflow = failure.kind === "context_overflow";
      const isLower = isOverflow && lowerWindow(failure, turn, { deps, context });
      const isSmaller = await context.keeper.relieve(turn, isOverflow ? "context_overflow" : "payload_too_large");
      return isSmaller || isLower ? { kind: "retry", waitMs: 2_000 } : undefined;
    },
  };
}

/** True when the window is known to be smaller now. */
function lowerWindow(
  failure: ModelFailure,
  turn: Turn,
  { deps, context }: { readonly deps: RemedyDeps; readonly context: RemedyContext },
): boolean {
  const { target } = turn;
  const known = target.limits.contextWindow;
  const stated = failure.contextLimit;
  const isStated = stated !== undefined && stated >= smallestStated && stated <= largestStated;
  if (isStated && stated >= known) return false;
  if (!isStated && failure.excessTokens !== undefined) return false;
  const next = isStated ? stated : steps.find((step) => step < known);
  if (next === undefined) return false;
  turn.adjustTarget({ ...target, limits: { ...target.limits, contextWindow: next } });
  if (isStated) context.afterSuccess(() => deps.onWindowLearned?.(target, next));
  return true;
}
