import { callsOf, type Message, type SessionId } from "#conversation";
import { newId } from "#foundation/text/ids";
import type { Clock } from "#foundation/time/clock";
import type { Database } from "./database.ts";
import type { AppendOptions, AppendResult } from "./records/message.ts";
import { maybeNumber, number } from "./row.ts";
import { type MessageLocation, messageColumns, messageValues, rowIdOfUid } from "./rows/message.ts";
import { searchVector } from "./search/vector.ts";

/**
 * Writing messages, each uid of a session once. The session row is locked first, so two writers of one
 * session take turns also where the database has several writers.
 */
export interface AppendContext {
  readonly db: Database;
  readonly clock: Clock;
}

export async function appendMessages(
  context: AppendContext,
  sessionId: SessionId,
  batch: AppendOptions & { readonly messages: readonly Message[] },
): Promise<AppendResult> {
  // Steering messages exist for one request; stored, nobody could tell them from real ones.
  const messages = batch.messages.filter((message) => message._scaffold !== true);
  return await context.db.transaction(async (tx) => {
    await ensureSession({ ...context, db: tx }, sessionId, batch.source ?? "unknown");
    let stampS = await newestStamp(tx, sessionId);
    const ids: number[] = [];
    const uids: string[] = [];
    let calls = 0;
    for (const message of messages) {
      const uid = message.uid ?? newId("msg");
      const tokenCount = batch.tokenCounts?.[uid];
      const timestampS = Math.max(stampS, message.timestamp ?? context.clock.now() / 1000);
      const id = await insertMessage(tx, message, { sessionId, uid, timestampS, tokenCount });
      if (id === undefined) continue;
      stampS = timestampS;
      ids.push(id);
      uids.push(uid);
      calls += callsOf(message).length;
    }
    if (ids.length > 0)
      await tx.run(
        "UPDATE sessions SET message_count = message_count + ?, tool_call_count = tool_call_count + ? WHERE id = ?",
        [ids.length, calls, sessionId],
      );
    return { ids, uids, duplicates: messages.length - ids.length };
  });
}

export async function ensureSession(context: AppendContext, sessionId: SessionId, source: string): Promise<void> {
  const { db, clock } = context;
  const lock = `SELECT id FROM sessions WHERE id = ?${db.dialect.forUpdate}`;
  if ((await db.get(lock, [sessionId])) !== undefined) return;
  await db.run(
    "INSERT INTO sessions (id, source, started_at, root_session_id) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
    [sessionId, source, clock.now() / 1000, sessionId],
  );
  await db.get(lock, [sessionId]);
}

/** A transcript is read by time: no message may seem older than the one before it, also when a clock was set back. */
async function newestStamp(db: Database, sessionId: SessionId): Promise<number> {
  const row = await db.get("SELECT max(timestamp) AS newest FROM messages WHERE session_id = ?", [sessionId]);
  return (row === undefined ? undefined : maybeNumber(row, "newest")) ?? 0;
}

/** The id of the new row, or undefined when the message is there already. */
async function insertMessage(tx: Database, message: Message, location: MessageLocation): Promise<number | undefined> {
  if (await isOldRow(tx, location)) return undefined;
  const values = [...messageValues(message, location)];
  const columns: string[] = [...messageColumns];
  const marks = columns.map(() => "?");
  if (tx.dialect.name === "postgres") {
    columns.push("search");
    marks.push("?::tsvector");
    values.push(searchVector(String(values[messageColumns.indexOf("content")] ?? "")));
  }
  const row = await tx.get(
    `INSERT INTO messages (${columns.join(", ")}) VALUES (${marks.join(", ")})
     ON CONFLICT (session_id, uid) WHERE uid IS NOT NULL DO NOTHING RETURNING id`,
    values,
  );
  return row === undefined ? undefined : number(row, "id");
}

/** A message read from a row without uid carries its row id; it is stored already. */
async function isOldRow(tx: Database, location: MessageLocation): Promise<boolean> {
  const rowId = rowIdOfUid(location.uid);
  if (rowId === undefined) return false;
  const sql = "SELECT id FROM messages WHERE id = ? AND session_id = ? AND uid IS NULL";
  return (await tx.get(sql, [rowId, location.sessionId])) !== undefined;
}
