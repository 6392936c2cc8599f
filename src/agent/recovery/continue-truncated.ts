import { userMessage } from "#conversation";
import { fragmentOf } from "../turn/request/fragments.ts";
import type { Turn } from "../turn/turn.ts";
import type { Remedy } from "./remedy.ts";

const goOn =
  "Your answer was cut off by the output limit. Go on exactly where it stopped, without repeating anything and without any introduction.";
const usualOutput = 4_096;
const largestOutput = 32_768;

/** An answer that the output limit cut: asked to go on, with more room each time. */
export const continueTruncated: Remedy = {
  name: "continue-truncated",
  limit: { per: "step", times: 3 },
  treats: (problem) => problem.stage === "reply" && problem.defect === "truncated-text",
  apply(problem, turn) {
    if (problem.stage !== "reply") return Promise.resolve(undefined);
    turn.scaffold([fragmentOf(problem.collected, "length"), userMessage(goOn)]);
    raiseOutput(turn, turn.usesOf("continue-truncated", "step"));
    return Promise.resolve({ kind: "retry", waitMs: 0 });
  },
};

/** More room for the next request only. */
export function raiseOutput(turn: Turn, times: number): void {
  const base = turn.outputTokens ?? usualOutput;
  const most = Math.max(base, Math.min(largestOutput, turn.target.limits.maxOutputTokens ?? largestOutput));
  turn.tweak({ options: { maxOutputTokens: Math.min((times + 1) * base, most) } }, "next-request");
}
