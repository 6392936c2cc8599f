import type { AssistantMessage, Message } from "#conversation";

/** The pieces of an answer that was cut off or left unfinished and continued, in order; they stand in the history as scaffold. */
export function joinedFragments(history: readonly Message[]): string {
  return fragmentsOf(history)
    .map((message) => message.content)
    .join("");
}

/** The last piece, with the earlier ones in front of it: one message, as if it had never been cut. */
export function withFragments(reply: AssistantMessage, history: readonly Message[]): AssistantMessage {
  const before = joinedFragments(history);
  return before === "" ? reply : { ...reply, content: before + reply.content };
}

function fragmentsOf(history: readonly Message[]): readonly AssistantMessage[] {
  return history.filter(
    (message): message is AssistantMessage =>
      message.role === "assistant" &&
      message._scaffold === true &&
      (message.finish_reason === "length" || message.finish_reason === "incomplete"),
  );
}
