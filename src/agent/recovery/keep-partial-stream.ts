import { assistantMessage, userMessage } from "#conversation";
import { isTransient } from "../turn/problem.ts";
import { fragmentOf, joinedWith } from "../turn/request/fragments.ts";
import type { Remedy } from "./remedy.ts";

const mostNamed = 3;
const goOn =
  "Your answer stopped in the middle. Go on exactly where it stopped, without repeating anything and without any introduction.";

/** The stream fell silent after words had been shown: they stay, and the model is asked to go on behind them. */
export const continueSilent: Remedy = {
  name: "continue-silent",
  limit: { per: "step", times: 2 },
  treats: (problem) =>
    problem.stage === "request" &&
    problem.failure.isSilence === true &&
    problem.partial !== undefined &&
    problem.partial.message.content.trim() !== "" &&
    problem.partial.lostCalls.length === 0,
  apply(problem, turn) {
    if (problem.stage !== "request" || problem.partial === undefined) return Promise.resolve(undefined);
    turn.emit({
      type: "notice",
      level: "warn",
      text: "The model fell silent in the middle of its answer; asking it to go on.",
    });
    turn.scaffold([fragmentOf(problem.partial, "incomplete"), userMessage(goOn)]);
    return Promise.resolve({ kind: "retry", waitMs: 0 });
  },
};

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
    if (problem.stage !== "request" || problem.partial === undefined) return Promise.resolve(undefined);
    const { failure, partial } = problem;
    const { lostCalls } = partial;
    if (lostCalls.length > 0 && isTransient(failure) && turn.usesOf("keep-partial-stream", "turn") === 1) {
      turn.emit({
        type: "notice",
        level: "warn",
        text: "The connection broke in the middle of a tool call; asking again.",
      });
      return Promise.resolve({ kind: "retry", waitMs: 0 });
    }
    const note =
      lostCalls.length === 0
        ? ""
        : `\n\n(The connection broke before these tools could run: ${lostCalls.slice(0, mostNamed).join(", ")}.)`;
    const text = joinedWith(partial, turn.history).trim() + note;
    return Promise.resolve({
      kind: "end",
      outcome: {
        exitReason: "partial_stream_recovery",
        text,
        error: "The connection to the model broke in the middle of the answer.",
        errorClass: failure.kind,
        reply: assistantMessage(text, { finish_reason: "error" }),
      },
    });
  },
};
