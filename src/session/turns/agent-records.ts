import { type AgentRecords, spanOf } from "#agent";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import { newSessionId } from "./session-id.ts";
import { tokenCounts } from "./usage/token-counts.ts";
import { usageChange } from "./usage/usage-change.ts";

/**
 * What agents write down beside their transcripts, on the store: the sessions of children, changes of model. Nobody waits for an entry, and one that cannot be written fails nothing; disposal waits for those under way.
 */
export function storedRecords(store: Store, clock: Clock, logger: Logger): AgentRecords & AsyncDisposable {
  let writing: Promise<unknown> = Promise.resolve();
  const later = (what: string, write: () => Promise<void>): void => {
    writing = writing.then(() => quietly(what, write, { logger, level: "error" }));
  };
  return {
    newSessionId: () => newSessionId(clock.now()),
    /** A session of its own below the parent's, hidden from lists by its source. */
    async childTranscript({ sessionId: parentSessionId }, { sessionId: id, source, model }) {
      await store.sessions.create({ id, source, model, parentSessionId, lineage: "delegation" });
      return {
        record: async (messages) =>
          void (await store.messages.append(id, messages, { tokenCounts: tokenCounts(messages) })),
        amend: async (messages) => void (await store.messages.amend(id, messages)),
        split: () => Promise.resolve(id),
        forget: async (uids) => void (await store.messages.remove(id, uids)),
      };
    },
    /** From this part of the session or an earlier one. */
    readMessages: (conversation) => async (span) => {
      const parts = [conversation.sessionId, ...(await store.sessions.ancestors(conversation.sessionId))];
      for (const part of parts) {
        const found = spanOf(await store.messages.conversation(part), span);
        if (found.length > 0) return found;
      }
      return [];
    },
    /** In the ledger of its own session. */
    childCall(sessionId, { target, usage, cost }) {
      const change = usageChange(target, usage, cost);
      later("recording the usage of a child", () => store.usage.change(sessionId, change));
    },
    childEnded: (sessionId, status) =>
      later("ending the session of a child", () => store.sessions.end(sessionId, `subagent_${status}`)),
    fallback: (sessionId, details) =>
      later("recording a fallback", () => store.turns.recordEvent({ sessionId, kind: "fallback", details })),
    compression: (record) => store.turns.recordCompression(record),
    async [Symbol.asyncDispose]() {
      await writing;
    },
  };
}
