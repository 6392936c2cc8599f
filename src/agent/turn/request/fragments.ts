import type { AssistantMessage, Message } from "#conversation";
import type { Collected } from "#model";

/**
 * The pieces of an answer that was cut off or left unfinished and continued. They stand in the history as
 * scaffold, with the whitespace at their edges, because a cut may fall between two words.
 */
export function fragmentOf({ message, text }: Collected, finish: "length" | "incomplete"): AssistantMessage {
  return { ...message, content: message.content + trailingSpace(message.content, text), finish_reason: finish };
}

/** All pieces so far, in order. */
export function joinedFragments(history: readonly Message[]): string {
  return fragmentsOf(history)
    .map((message) => message.content)
    .join("");
}

/** The pieces so far with the visible words of this reply behind them. */
export function joinedWith({ message, text }: Collected, history: readonly Message[]): string {
  const before = joinedFragments(history);
  if (before === "" || message.content === "") return before + message.content;
  return before + leadingSpace(message.content, text) + message.content;
}

/**
 * The last piece, with the earlier ones in front of it: one message, as if it had never been cut. The exact
 * items of the Responses wire would replay the last piece alone, so they go and the words stand for them.
 */
export function withFragments(
  reply: AssistantMessage,
  collected: Collected,
  history: readonly Message[],
): AssistantMessage {
  if (joinedFragments(history) === "") return reply;
  const { codex_message_items: _lastPiece, ...rest } = reply;
  return { ...rest, content: joinedWith(collected, history) };
}

function fragmentsOf(history: readonly Message[]): readonly AssistantMessage[] {
  return history.filter(
    (message): message is AssistantMessage =>
      message.role === "assistant" &&
      message._scaffold === true &&
      (message.finish_reason === "length" || message.finish_reason === "incomplete"),
  );
}

function trailingSpace(visible: string, text: string): string {
  const body = text.trimEnd();
  return visible !== "" && body.endsWith(visible) ? text.slice(body.length) : "";
}

function leadingSpace(visible: string, text: string): string {
  const body = text.trimStart();
  return body.startsWith(visible) ? text.slice(0, text.length - body.length) : "";
}
