import { fittingOutputTokens } from "#model";
import type { Remedy } from "./remedy.ts";

/** The input fits, the room asked for the answer does not: ask for what is left. */
export const shrinkOutput: Remedy = {
  name: "shrink-output",
  limit: { per: "step", times: 1 },
  treats: (problem) => problem.stage === "request" && problem.failure.kind === "output_cap_too_large",
  apply(problem, turn) {
    const tokens = problem.stage === "request" ? fittingOutputTokens(problem.failure) : undefined;
    if (tokens === undefined) return Promise.resolve(undefined);
    turn.tweak({ options: { maxOutputTokens: tokens } }, "next-request");
    return Promise.resolve({ kind: "retry", waitMs: 0 });
  },
};
