import { type AssistantMessage, type Message, userMessage } from "#conversation";
import { canonicalJson } from "#foundation/text/json";
import { fragmentOf } from "../turn/request/fragments.ts";
import type { Turn } from "../turn/turn.ts";
import type { Remedy } from "./remedy.ts";

const workNow = "Do it now: call the tools you need, in this very reply, and go on until the request is done.";

/** An answer that is not the end of the work: announced only, or left unfinished by the Responses wire. */
export const continueNow: Remedy = {
  name: "continue-now",
  limit: { per: "step", times: 3 },
  treats: (problem, turn) =>
    problem.stage === "reply" &&
    (problem.defect === "responses-incomplete" ||
      (problem.defect === "planning-only" && turn.usesOf("continue-now", "step") < 2)),
  apply(problem, turn) {
    if (problem.stage !== "reply") return Promise.resolve(undefined);
    const { message } = problem.collected;
    if (problem.defect === "planning-only") turn.scaffold([message, userMessage(workNow)]);
    else if (!isRepeated(message, turn)) turn.scaffold([fragmentOf(problem.collected, "incomplete")]);
    return Promise.resolve({ kind: "retry", waitMs: 0 });
  },
};

/** The same interim message again would only make the request longer. */
function isRepeated(message: AssistantMessage, turn: Turn): boolean {
  const before = turn.history.findLast((one: Message) => one.role === "assistant" && one._scaffold === true);
  return before !== undefined && before.role === "assistant" && substance(before) === substance(message);
}

function substance(message: AssistantMessage): string {
  const { content, reasoning, codex_reasoning_items, codex_message_items } = message;
  return canonicalJson([content.trim(), reasoning ?? null, codex_reasoning_items ?? null, codex_message_items ?? null]);
}
