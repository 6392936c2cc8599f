import { type ToolCall, type ToolMessage, toolMessage } from "#conversation";
import type { LoopDeps } from "../loop.ts";
import type { Turn } from "./turn.ts";

/** For the model: nobody knows what became of the call. */
export const cutOff =
  "The program ended while this call was running, so its result is not known. It may or may not have taken effect: " +
  "check before doing it again.";

/** Calls that an earlier process left open: what does no harm twice is run again, of the others the model is told. */
export async function answerOpenCalls(
  open: readonly ToolCall[],
  turn: Turn,
  deps: Pick<LoopDeps, "mayRepeat" | "runTools">,
): Promise<void> {
  turn.phase = "tools";
  const again = open.filter((call) => deps.mayRepeat(call));
  const results = again.length === 0 ? [] : (await deps.runTools(again, turn)).messages;
  const byCall = new Map(results.map((message) => [(message as ToolMessage).tool_call_id, message]));
  await turn.append(open.map((call) => byCall.get(call.id) ?? toolMessage(call, cutOff)));
}
