import type { Defect } from "../turn/problem.ts";
import type { Turn } from "../turn/turn.ts";
import { raiseOutput } from "./continue-truncated.ts";
import type { Remedy } from "./remedy.ts";

/** Asks the same question again; the defective reply is not kept. */
function askAgain(
  defect: Defect,
  { name, times, prepare }: { readonly name: string; readonly times: number; prepare?(turn: Turn): void },
): Remedy {
  return {
    name,
    limit: { per: "step", times },
    treats: (problem) => problem.stage === "reply" && problem.defect === defect,
    apply(_problem, turn) {
      prepare?.(turn);
      return Promise.resolve({ kind: "retry", waitMs: 0 });
    },
  };
}

export const retryEmpty = askAgain("empty", { name: "retry-empty", times: 3 });

export const retryReply: readonly Remedy[] = [
  askAgain("truncated-call", {
    name: "retry-truncated-call",
    times: 1,
    prepare: (turn) => raiseOutput(turn, 1),
  }),
  askAgain("incomplete-reasoning", { name: "retry-incomplete-reasoning", times: 2 }),
  askAgain("unreadable-arguments", { name: "retry-unreadable-arguments", times: 2 }),
];
