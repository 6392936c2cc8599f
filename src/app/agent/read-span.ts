import { type Conversation, type ReadMessages, spanOf } from "#agent";
import type { Store } from "#store";

/** Messages that compression took out of the context, from this part of the session or an earlier one. */
export function readSpan(conversation: Conversation, store: Store): ReadMessages {
  return async (span) => {
    const parts = [conversation.sessionId, ...(await store.sessions.ancestors(conversation.sessionId))];
    for (const part of parts) {
      const found = spanOf(await store.messages.conversation(part), span);
      if (found.length > 0) return found;
    }
    return [];
  };
}
