import type { SessionId } from "#conversation";
import { type Database, placeholders } from "../database.ts";
import type { WorkContext } from "./context.ts";

/** Removes sessions with all that belongs to them, in one transaction; children stay without a parent. */
export async function deleteSessions(context: WorkContext, input: { ids: readonly SessionId[] }): Promise<number> {
  return await context.db.transaction((tx) => deleteAll(tx, input.ids));
}

export async function deleteAll(tx: Database, ids: readonly SessionId[]): Promise<number> {
  if (ids.length === 0) return 0;
  const list = `(${placeholders(ids.length)})`;
  await tx.run(`UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id IN ${list}`, ids);
  for (const table of ["messages", "turns", "compression_events", "session_events"])
    await tx.run(`DELETE FROM ${table} WHERE session_id IN ${list}`, ids);
  return await tx.run(`DELETE FROM sessions WHERE id IN ${list}`, ids);
}

export async function clearMessages(context: WorkContext, input: { sessionId: SessionId }): Promise<number> {
  return await context.db.transaction(async (tx) => {
    const removed = await tx.run("DELETE FROM messages WHERE session_id = ?", [input.sessionId]);
    await tx.run("UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = ?", [input.sessionId]);
    return removed;
  });
}
