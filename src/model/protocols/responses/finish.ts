import type { FinishReason } from "#conversation";
import { objectIn, textIn, type WireObject } from "../shared/fields.ts";

/** What the finish of a response is judged by. */
export interface Ending {
  readonly response: WireObject;
  readonly hasCalls: boolean;
  readonly hasReasoning: boolean;
  readonly text: string;
  readonly itemStatuses: readonly string[];
  readonly phases: readonly string[];
}

const unfinished = new Set(["queued", "in_progress", "incomplete"]);

/** First match wins; `incomplete` asks the loop to continue the turn. */
export function responsesFinish(ending: Ending): FinishReason {
  const status = textIn(ending.response["status"]);
  const reason = textIn(objectIn(ending.response["incomplete_details"])["reason"]);
  if (ending.hasCalls) return "tool_calls";
  if (reason === "content_filter") return "content_filter";
  if (unfinished.has(status) || ending.itemStatuses.some((one) => unfinished.has(one))) return "incomplete";
  if (onlyPlans(ending.phases)) return "incomplete";
  if (ending.text.trim() === "") return ending.hasReasoning ? "incomplete" : "stop";
  return holdsLeakedCall(ending.text) ? "incomplete" : "stop";
}

function onlyPlans(phases: readonly string[]): boolean {
  const planning = phases.some((phase) => phase === "commentary" || phase === "analysis");
  return planning && !phases.some((phase) => phase.startsWith("final"));
}

/** The model wrote a call into its text, in its own inner syntax, instead of making it. */
export function holdsLeakedCall(text: string): boolean {
  return /\bto=functions\.[A-Za-z_][\w-]*/.test(text);
}
