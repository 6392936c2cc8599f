import { unfinishedTurn } from "#agent";
import type { Message, SessionId } from "#conversation";
import type { Store } from "#store";

export interface RecoveredHistory {
  readonly messages: readonly Message[];
  /** The turn it breaks off in: how far it came and how many calls nobody knows the result of. */
  readonly unfinished?: { readonly steps: number; readonly openCalls: number };
}

/**
 * The history a session goes on with: everything that was stored. A turn that broke off is left as it is: the
 * person says whether it goes on, or says something else, and open calls are answered then.
 */
export async function recoverHistory(store: Store, id: SessionId): Promise<RecoveredHistory> {
  const messages = await store.messages.conversation(id);
  const turn = unfinishedTurn(messages);
  if (turn === undefined) return { messages };
  return { messages, unfinished: { steps: turn.stepsTaken, openCalls: turn.openCalls.length } };
}
