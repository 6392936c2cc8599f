import { assistantMessage } from "#conversation";
import type { Remedy } from "./remedy.ts";

/**
 * The stream broke after words had been shown. A call that was being written is worth one more try;
 * otherwise what was shown is what is kept, and the turn does not pass for finished.
 */
export const keepPartialStream: Remedy = {
  name: "keep-partial-stream",
  limit: { per: "turn", times: 2 },
  treats: (problem) =>
    problem.stage === "request" && problem.failure.isPartial && problem.partial?.message.content.trim() !== "",
  apply(problem, turn) {
    const partial = problem.stage === "request" ? problem.partial : undefined;
    if (partial === undefined) return Promise.resolve(undefined);
    const { lostCalls } = partial;
    if (lostCalls.length > 0 && turn.usesOf("keep-partial-stream", "turn") === 1) {
      turn.emit({
        type: "notice",
        level: "warn",
        text: "The connection broke in the middle of a tool call; asking again.",
      });
      return Promise.resolve({ kind: "retry", waitMs: 0 });
    }
    const note =
      lostCalls.length === 0 ? "" : `\n\n(The connection broke before these tools could run: ${lostCalls.join(", ")}.)`;
    const text = partial.message.content + note;
    return Promise.resolve({
      kind: "end",
      outcome: {
        exitReason: "partial_stream_recovery",
        text,
        error: "The connection to the model broke in the middle of the answer.",
        reply: assistantMessage(text, { finish_reason: "error" }),
      },
    });
  },
};
