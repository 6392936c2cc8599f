import type { Message } from "#conversation";
import type { Remedy } from "./remedy.ts";

/** Signed reasoning the provider no longer accepts: it is left out from here on; the stored messages keep it. */
export const dropReasoningSignatures: Remedy = {
  name: "drop-reasoning-signatures",
  limit: { per: "turn", times: 1 },
  treats: (problem) => problem.stage === "request" && problem.failure.kind === "thinking_signature",
  apply(_problem, turn) {
    turn.replaceHistory(turn.history.map(withoutSignatures), "reasoning signatures dropped");
    return Promise.resolve({ kind: "retry", waitMs: 0 });
  },
};

function withoutSignatures(message: Message): Message {
  if (message.role !== "assistant" || message.reasoning_details === undefined) return message;
  const { reasoning_details: _details, ...rest } = message;
  return rest;
}
