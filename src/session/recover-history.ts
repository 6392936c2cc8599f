import { type Message, type SessionId, settle } from "#conversation";
import type { Clock } from "#foundation/clock";
import { newId } from "#foundation/ids";
import type { Store } from "#store";

const cutOff =
  "The program ended while this call was running, so its result is not known. It may or may not have taken effect: " +
  "check before doing it again.";

export interface RecoveredHistory {
  readonly messages: readonly Message[];
  /** Calls of a turn that a crash cut off. */
  readonly cutCalls: number;
  /** The last message of the person has no answer. */
  readonly isUnanswered: boolean;
}

/**
 * The history a session goes on with. Results that were stored are kept; a call without one is answered by
 * a note, so that nothing is repeated silently. `isOwn` is false while another program works on it.
 */
export async function recoverHistory(
  deps: { readonly store: Store; readonly clock: Clock },
  id: SessionId,
  isOwn: boolean,
): Promise<RecoveredHistory> {
  const { store, clock } = deps;
  const messages = await store.messages.conversation(id);
  const notes = settle(messages, cutOff).map((note) => ({
    ...note,
    uid: newId("msg"),
    timestamp: clock.now() / 1000,
  }));
  const isUnanswered = messages.at(-1)?.role === "user";
  if (notes.length === 0 || !isOwn) return { messages, cutCalls: 0, isUnanswered };
  await store.messages.append(id, notes);
  return { messages: [...messages, ...notes], cutCalls: notes.length, isUnanswered };
}
