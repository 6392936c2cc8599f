import type { SessionId } from "#conversation";
import type { SqlValue } from "../database.ts";
import { number, text } from "../row.ts";
import type { WorkContext } from "./context.ts";
import { deleteAll } from "./delete-sessions.ts";

const idsPerRound = 500;
/** Other writers wait while a transaction deletes, so each one stays small. */
const messagesPerTransaction = 400;

/** Removes ended sessions that began before the cut-off, a few at a time. */
export async function pruneSessions(
  context: WorkContext,
  input: { startedBeforeS: number; source?: string | undefined; includeTitled: boolean },
): Promise<number> {
  const conditions = ["started_at < ?", "ended_at IS NOT NULL"];
  const params: SqlValue[] = [input.startedBeforeS];
  if (input.source !== undefined) {
    conditions.push("source = ?");
    params.push(input.source);
  }
  if (!input.includeTitled) conditions.push("title IS NULL");
  const select = `SELECT id, message_count FROM sessions WHERE ${conditions.join(" AND ")} ORDER BY started_at LIMIT ${idsPerRound}`;
  let removed = 0;
  for (;;) {
    const rows = await context.db.all(select, params);
    if (rows.length === 0) return removed;
    const sessions = rows.map((row) => ({ id: text(row, "id") as SessionId, weight: number(row, "message_count") }));
    for (const group of groups(sessions)) {
      context.signal.throwIfAborted();
      removed += await context.db.transaction((tx) => deleteAll(tx, group));
      await context.clock.sleep(1, context.signal);
    }
  }
}

function groups(sessions: readonly { readonly id: SessionId; readonly weight: number }[]): readonly SessionId[][] {
  const result: SessionId[][] = [];
  let current: SessionId[] = [];
  let weight = 0;
  for (const session of sessions) {
    if (current.length > 0 && weight + session.weight > messagesPerTransaction) {
      result.push(current);
      current = [];
      weight = 0;
    }
    current.push(session.id);
    weight += session.weight;
  }
  if (current.length > 0) result.push(current);
  return result;
}
