import { defined } from "#foundation/defined";
import { retryDelayMs } from "#model";
import { isTransient } from "../turn/problem.ts";
import type { Remedy } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";

export const waitAndRetryName = "wait-and-retry";

/** Troubles that pass: the same request again, after the wait the server asked for or one that doubles. */
export function waitAndRetry(deps: RemedyDeps): Remedy {
  const retries = Math.max(1, deps.maxAttempts) - 1;
  const streamRetries = deps.streamRetries ?? retries;
  return {
    name: waitAndRetryName,
    limit: { per: "step", times: Math.max(retries, streamRetries) },
    treats: (problem, turn) =>
      problem.stage === "request" &&
      isTransient(problem.failure) &&
      turn.usesOf(waitAndRetryName, "step") < (problem.failure.kind === "timeout" ? streamRetries : retries),
    apply(problem, turn) {
      if (problem.stage !== "request") return Promise.resolve(undefined);
      const attempt = turn.usesOf(waitAndRetryName, "step");
      const random = defined({ random: deps.random });
      return Promise.resolve({ kind: "retry", waitMs: retryDelayMs(problem.failure, { attempt, ...random }) });
    },
  };
}
