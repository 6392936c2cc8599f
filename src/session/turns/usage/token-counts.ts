import type { Message } from "#conversation";
import { estimateMessage } from "#model";

/** How large each message is for a model, estimated, by its uid. */
export function tokenCounts(messages: readonly Message[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    messages.flatMap((one) => (one.uid === undefined ? [] : [[one.uid, estimateMessage(one)]])),
  );
}
