import type { SessionId } from "#conversation";
import { placeholders, type Row, type SqlValue } from "../database.ts";
import { compressionTip, firstWords, lastActiveS } from "../lineage.ts";
import type { SessionListOptions, SessionSummary } from "../records/session.ts";
import { maybeMillis, maybeText, millis, number, text } from "../row.ts";
import type { WorkContext } from "./context.ts";

const defaultLimit = 20;
const summaryColumns =
  "s.id, s.source, s.model, s.title, s.started_at, s.ended_at, s.end_reason, s.message_count, s.tool_call_count";

/** Newest first. A conversation that compression cut into parts is one line: its last part, at the place of its first. */
export async function listSessions(
  context: WorkContext,
  options: Omit<SessionListOptions, "signal">,
): Promise<readonly SessionSummary[]> {
  const { sql, params } = listQuery(options);
  const rows = await context.db.all(sql, params);
  const summaries: SessionSummary[] = [];
  for (const row of rows) {
    context.signal.throwIfAborted();
    summaries.push(await summary(context, row));
  }
  return summaries;
}

function listQuery(options: Omit<SessionListOptions, "signal">): { readonly sql: string; readonly params: SqlValue[] } {
  const conditions: string[] = [];
  const params: SqlValue[] = [];
  if (options.source !== undefined) {
    conditions.push("s.source = ?");
    params.push(options.source);
  }
  const lists = [
    ["s.source", options.excludeSources ?? []],
    ["s.id", options.excludeIds ?? []],
  ] as const;
  for (const [column, values] of lists) {
    if (values.length === 0) continue;
    conditions.push(`${column} NOT IN (${placeholders(values.length)})`);
    params.push(...values);
  }
  // A branch is known by its own mark, or by a parent that ended for it before this one began.
  conditions.push(`(s.parent_session_id IS NULL OR s.lineage IN ('branch', 'reset') OR EXISTS (
    SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id AND p.end_reason = 'branched' AND s.started_at >= p.ended_at))`);
  const where = `WHERE ${conditions.join(" AND ")}`;
  params.push(options.limit ?? defaultLimit, options.offset ?? 0);
  return {
    sql: `SELECT ${summaryColumns} FROM sessions s ${where} ORDER BY s.started_at DESC, s.id DESC LIMIT ? OFFSET ?`,
    params,
  };
}

async function summary(context: WorkContext, listed: Row): Promise<SessionSummary> {
  const { db } = context;
  const listedId = text(listed, "id") as SessionId;
  const id = listed.end_reason !== "compression" ? listedId : await compressionTip(db, listedId);
  const row =
    id === listedId
      ? listed
      : ((await db.get(`SELECT ${summaryColumns} FROM sessions s WHERE s.id = ?`, [id])) ?? listed);
  return {
    id,
    source: text(row, "source"),
    model: maybeText(row, "model"),
    title: maybeText(row, "title"),
    startedAtMs: millis(listed, "started_at"),
    endedAtMs: maybeMillis(row, "ended_at"),
    endReason: maybeText(row, "end_reason"),
    lastActiveMs: Math.round((await lastActiveS(db, id, number(row, "started_at"))) * 1000),
    messageCount: number(row, "message_count"),
    toolCallCount: number(row, "tool_call_count"),
    preview: await firstWords(db, id),
    ...(id === listedId ? {} : { lineageRootId: listedId }),
  };
}
