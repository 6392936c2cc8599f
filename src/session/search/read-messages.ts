import { callsOf, type SessionId, textOf } from "#conversation";
import type { SessionRecord, Store, StoredMessage } from "#store";
import { familyOf } from "./lineage.ts";

const mostIds = 20;

/**
 * Single messages by their ids, whole: what a compression left out of the conversation, or what a search found.
 * Looked for in the given session or, without one, in every part of the conversation that asks.
 */
export async function readMessages(
  store: Store,
  request: {
    readonly ids: readonly string[];
    readonly sessionId: SessionId;
    mayRead(session: SessionRecord): boolean;
  },
): Promise<Record<string, unknown>> {
  const wanted = [...new Set(request.ids)].slice(0, mostIds);
  const found = new Map<string, StoredMessage>();
  for (const sessionId of await familyOf(store, request.sessionId)) {
    const missing = wanted.filter((id) => !found.has(id));
    if (missing.length === 0) break;
    const session = await store.sessions.get(sessionId);
    if (session === undefined || !request.mayRead(session)) continue;
    for (const stored of await store.messages.byUids(sessionId, missing))
      if (stored.message.uid !== undefined) found.set(stored.message.uid, stored);
  }
  const results = wanted.flatMap((id) => {
    const stored = found.get(id);
    return stored === undefined ? [] : [messageView(id, stored)];
  });
  const missing = wanted.filter((id) => !found.has(id));
  return {
    success: results.length > 0,
    mode: "messages",
    results,
    count: results.length,
    ...(missing.length === 0 ? {} : { missing }),
    ...(request.ids.length > mostIds ? { message: `Only the first ${mostIds} ids were read.` } : {}),
  };
}

function messageView(id: string, { message, sessionId, timestampMs }: StoredMessage): Record<string, unknown> {
  const calls = callsOf(message).map((call) => ({ name: call.function.name, arguments: call.function.arguments }));
  return {
    id,
    session_id: sessionId,
    role: message.role,
    when: new Date(timestampMs).toISOString(),
    ...(message.role === "tool" ? { tool_name: message.tool_name } : {}),
    content: textOf(message.content),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
