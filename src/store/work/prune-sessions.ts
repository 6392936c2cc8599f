import type { SessionId } from "#conversation";
import type { SqlValue } from "../database.ts";
import { openSessionLease } from "../records/gateway.ts";
import { number, text } from "../row.ts";
import type { WorkContext } from "./context.ts";
import { deleteAll } from "./delete-sessions.ts";

const idsPerRound = 500;
/** Other writers wait while a transaction deletes, so each one stays small. */
const messagesPerTransaction = 400;

/**
 * Removes sessions that began before the cut-off, a few at a time: a conversation with its children and all its parts, or nothing of
 * it. One that was put away and never ended counts by its last message; one that a chat is in or that is open in a window stays.
 */
export async function pruneSessions(
  context: WorkContext,
  input: { nowMs: number; startedBeforeS: number; source?: string | undefined; includeTitled: boolean },
): Promise<number> {
  const last = "coalesce((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at)";
  const keeps = [
    "s.started_at >= ?",
    `(s.ended_at IS NULL AND ${last} >= ?)`,
    "s.id IN (SELECT session_id FROM gw_session)",
    `'${openSessionLease("")}' || s.id IN (SELECT name FROM gw_lease WHERE expires_at_ms > ?)`,
  ];
  const params: SqlValue[] = [input.startedBeforeS, input.startedBeforeS, input.nowMs];
  if (input.source !== undefined) {
    keeps.push("(s.id = tree.root AND s.source <> ?)");
    params.push(input.source);
  }
  if (!input.includeTitled) keeps.push("s.title IS NOT NULL");
  const select = `WITH RECURSIVE tree(id, root) AS (
      SELECT id, id FROM sessions WHERE parent_session_id IS NULL OR parent_session_id NOT IN (SELECT id FROM sessions)
      UNION ALL SELECT child.id, tree.root FROM sessions child JOIN tree ON child.parent_session_id = tree.id),
    old(root) AS (
      SELECT tree.root FROM tree JOIN sessions s ON s.id = tree.id
      GROUP BY tree.root HAVING max(CASE WHEN ${keeps.join(" OR ")} THEN 1 ELSE 0 END) = 0)
    SELECT s.id, s.message_count FROM sessions s JOIN tree ON tree.id = s.id JOIN old ON old.root = tree.root
    ORDER BY tree.root, s.started_at DESC LIMIT ${idsPerRound}`;
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
