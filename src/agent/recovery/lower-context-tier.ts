import type { Remedy, RemedyContext } from "./remedy.ts";

const ordinaryWindow = 200_000;

/** The account may not use the long context: compress into the ordinary one. Not remembered beyond the session. */
export function lowerContextTier({ keeper }: RemedyContext): Remedy {
  return {
    name: "lower-context-tier",
    limit: { per: "turn", times: 1 },
    treats: (problem) => problem.stage === "request" && problem.failure.kind === "long_context_tier",
    async apply(_problem, turn) {
      const { target } = turn;
      const contextWindow = Math.min(target.limits.contextWindow, ordinaryWindow);
      turn.adjustTarget({ ...target, limits: { ...target.limits, contextWindow } });
      const isSmaller = await keeper.relieve(turn, "long_context_tier");
      return isSmaller ? { kind: "retry", waitMs: 2_000 } : undefined;
    },
  };
}
