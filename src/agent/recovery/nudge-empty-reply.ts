import { type AssistantMessage, assistantMessage, callsOf, userMessage } from "#conversation";
import { hasReasoning } from "../turn/request/inspect.ts";
import type { Turn } from "../turn/turn.ts";
import type { Remedy } from "./remedy.ts";

const isEmpty: Remedy["treats"] = (problem) => problem.stage === "reply" && problem.defect === "empty";
const lookBack = 5;
const processResults = "Your reply was empty. Use the tool results above to go on with the request, or answer it.";

/** The words came before the housekeeping: an empty reply afterwards means that there is nothing to add. */
export const useEarlierText: Remedy = {
  name: "use-earlier-text",
  limit: { per: "step", times: 1 },
  treats: isEmpty,
  apply(_problem, turn) {
    const text = earlierText(turn);
    return Promise.resolve(
      text === undefined ? undefined : { kind: "end", outcome: { exitReason: "fallback_prior_turn_content", text } },
    );
  },
};

/** Nothing said about fresh results: asked once to use them. */
export const nudgeAfterTools: Remedy = {
  name: "nudge-after-tools",
  limit: { per: "step", times: 1 },
  treats: (problem, turn) =>
    isEmpty(problem, turn) && turn.history.slice(-lookBack).some((message) => message.role === "tool"),
  apply(_problem, turn) {
    turn.scaffold([assistantMessage("(empty)"), userMessage(processResults)]);
    return Promise.resolve({ kind: "retry", waitMs: 0 });
  },
};

/** Only reasoning: it is shown to the model as its own beginning, so that it can go on from there. */
export const prefillThinking: Remedy = {
  name: "prefill-thinking",
  limit: { per: "step", times: 2 },
  treats: (problem, turn) =>
    isEmpty(problem, turn) && problem.stage === "reply" && hasReasoning(problem.collected.message),
  apply(problem, turn) {
    if (problem.stage !== "reply") return Promise.resolve(undefined);
    turn.scaffold([{ ...problem.collected.message, _thinking_prefill: true }]);
    return Promise.resolve({ kind: "retry", waitMs: 0 });
  },
};

/** The visible text of the reply before, when that only did housekeeping. */
function earlierText(turn: Turn): string | undefined {
  const before = turn.ownMessages().findLast((message): message is AssistantMessage => message.role === "assistant");
  if (before === undefined || before._scaffold === true || before.content.trim() === "") return undefined;
  const calls = callsOf(before);
  return calls.length > 0 && calls.every((call) => turn.tools.get(call.function.name)?.isHousekeeping === true)
    ? before.content
    : undefined;
}
