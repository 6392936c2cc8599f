import { retryDelayMs } from "#model";
import { isTransient } from "../problem.ts";
import type { Remedy } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";

export const waitAndRetryName = "wait-and-retry";

/** Troubles that pass: the same request again, after the wait the server asked for or one that doubles. */
export function waitAndRetry(deps: RemedyDeps): Remedy {
  return {
    name: waitAndRetryName,
    limit: { per: "step", times: Math.max(1, deps.maxAttempts) - 1 },
    treats: (problem) => problem.stage === "request" && isTransient(problem.failure),
    apply(problem, turn) {
      if (problem.stage !== "request") return Promise.resolve(undefined);
      const attempt = turn.usesOf(waitAndRetryName, "step");
      const random = deps.random === undefined ? {} : { random: deps.random };
      return Promise.resolve({ kind: "retry", waitMs: retryDelayMs(problem.failure, { attempt, ...random }) });
    },
  };
}
