import type { SessionId } from "#conversation";
import type { Database } from "./database.ts";
import { json } from "./row.ts";

/** Sets the message and call counters of a session to what its messages say. */
export async function recount(tx: Database, sessionId: SessionId): Promise<void> {
  const rows = await tx.all("SELECT tool_calls FROM messages WHERE session_id = ?", [sessionId]);
  const calls = rows.reduce((sum, row) => {
    const list = json(row, "tool_calls");
    return sum + (Array.isArray(list) ? list.length : 0);
  }, 0);
  await tx.run("UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?", [
    rows.length,
    calls,
    sessionId,
  ]);
}
