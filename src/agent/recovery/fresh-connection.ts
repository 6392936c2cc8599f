import type { Remedy } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";
import { waitAndRetryName } from "./wait-and-retry.ts";

const longestWaitMs = 8_000;

/** Nothing but broken connections: new sockets, and the attempts start over once. */
export function freshConnection(deps: RemedyDeps): Remedy {
  return {
    name: "fresh-connection",
    limit: { per: "turn", times: 1 },
    treats: (problem, turn) =>
      problem.stage === "request" &&
      problem.failure.kind === "timeout" &&
      deps.streamRetries !== 0 &&
      turn.target === deps.conversation.primary &&
      deps.isAggregator?.(turn.target) !== true,
    apply(_problem, turn) {
      const attempts = turn.usesOf(waitAndRetryName, "step") + 1;
      deps.freshConnections();
      turn.resetRemedies([waitAndRetryName]);
      return Promise.resolve({ kind: "retry", waitMs: Math.min(3_000 + attempts * 1_000, longestWaitMs) });
    },
  };
}
