import type { Message, SessionId } from "#conversation";
import type { SearchHit, SessionRecord, Store } from "#store";
import { partsOf } from "./lineage.ts";

const mostHits = 50;

export interface FoundConversation {
  readonly rootId: SessionId;
  readonly session: SessionRecord;
  readonly hits: readonly SearchHit[];
}

export interface FindOptions {
  readonly query: string;
  readonly roles: readonly string[];
  readonly limit: number;
  readonly currentRootId: SessionId | undefined;
  mayRead(session: SessionRecord): boolean;
}

/** Conversations with matches, best first, without the one that asks. `searched` counts all that had some. */
export async function findConversations(
  store: Store,
  wanted: FindOptions,
  signal: AbortSignal,
): Promise<{ readonly found: readonly FoundConversation[]; readonly searched: number }> {
  const hits = await store.search.messages(wanted.query, {
    excludeSources: ["tool"],
    limit: mostHits,
    signal,
    ...(wanted.roles.length === 0 ? {} : { roles: wanted.roles }),
  });
  const groups = new Map<SessionId, FoundConversation>();
  for (const hit of hits) {
    const rootId = await store.sessions.rootOf(hit.sessionId);
    if (rootId === wanted.currentRootId) continue;
    const known = groups.get(rootId);
    const session = known?.session ?? (await store.sessions.get(hit.sessionId));
    if (session === undefined || !wanted.mayRead(session)) continue;
    groups.set(rootId, { rootId, session, hits: [...(known?.hits ?? []), hit] });
  }
  return { found: [...groups.values()].slice(0, wanted.limit), searched: groups.size };
}

/** All parts of the chains that hold the matches, in order; what a compression carried over is there once. */
export async function wholeConversation(store: Store, found: FoundConversation): Promise<readonly Message[]> {
  const parts: SessionId[] = [];
  for (const hit of found.hits)
    for (const part of await partsOf(store, hit.sessionId)) if (!parts.includes(part)) parts.push(part);
  const seen = new Set<string>();
  const messages: Message[] = [];
  for (const part of parts) {
    for (const message of await store.messages.conversation(part)) {
      if (message.uid !== undefined && seen.has(message.uid)) continue;
      if (message.uid !== undefined) seen.add(message.uid);
      messages.push(message);
    }
  }
  return messages;
}
