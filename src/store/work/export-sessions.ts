import type { SessionId } from "#conversation";
import { isRecord } from "#foundation/text/json";
import type { Row } from "../database.ts";
import type { ExportedSession } from "../records/session.ts";
import { json, text } from "../row.ts";
import { messageColumns, uidOfRow } from "../rows/message.ts";
import { sessionColumns } from "../rows/session.ts";
import type { WorkContext } from "./context.ts";

/** Sessions as they are exported: column names as on disk, JSON columns decoded. */
const sessionsPerBatch = 25;
/** A batch crosses to another thread in one piece; a small piece is quick to copy. */
const charactersPerBatch = 400_000;
const jsonColumns = new Set([
  "tool_calls",
  "reasoning_details",
  "codex_reasoning_items",
  "codex_message_items",
  "extra",
]);

export interface ExportBatch {
  readonly sessions: readonly ExportedSession[];
  /** Ask for the next batch with this; absent at the end. */
  readonly next?: string | undefined;
}

export async function exportSession(
  context: WorkContext,
  input: { id: SessionId },
): Promise<ExportedSession | undefined> {
  const row = await context.db.get("SELECT * FROM sessions WHERE id = ?", [input.id]);
  return row === undefined ? undefined : (await exported(context, row)).session;
}

export async function exportBatch(
  context: WorkContext,
  input: { after: string; source?: string | undefined },
): Promise<ExportBatch> {
  const bySource = input.source === undefined ? "" : " AND source = ?";
  const rows = await context.db.all(
    `SELECT * FROM sessions WHERE id > ?${bySource} ORDER BY id LIMIT ${sessionsPerBatch}`,
    input.source === undefined ? [input.after] : [input.after, input.source],
  );
  const sessions: ExportedSession[] = [];
  let characters = 0;
  for (const row of rows) {
    context.signal.throwIfAborted();
    const next = await exported(context, row);
    sessions.push(next.session);
    characters += next.characters;
    if (characters > charactersPerBatch) break;
  }
  const isLast = sessions.length === rows.length && rows.length < sessionsPerBatch;
  return isLast ? { sessions } : { sessions, next: sessions.at(-1)?.id };
}

async function exported(
  context: WorkContext,
  row: Row,
): Promise<{ readonly session: ExportedSession; readonly characters: number }> {
  const rows = await context.db.all("SELECT * FROM messages WHERE session_id = ? ORDER BY timestamp, id", [
    text(row, "id"),
  ]);
  const fields = Object.fromEntries(
    sessionColumns.map((column) => [column, column === "model_config" ? (json(row, column) ?? null) : row[column]]),
  );
  return {
    session: { ...fields, id: text(row, "id"), source: text(row, "source"), messages: rows.map(exportedMessage) },
    characters: rows.reduce((sum, message) => sum + String(message.content ?? "").length, 0),
  };
}

/** What is stored for building requests is no part of what was said. */
function wordsExtra(extra: unknown): unknown {
  if (!isRecord(extra)) return extra ?? null;
  const { sent: _sent, origin: _origin, untrusted: _untrusted, ...rest } = extra;
  return Object.keys(rest).length === 0 ? null : rest;
}

function exportedMessage(row: Row): Readonly<Record<string, unknown>> {
  const fields = messageColumns
    .filter((column) => column !== "content_parts")
    .map((column) => [column, jsonColumns.has(column) ? (json(row, column) ?? null) : row[column]]);
  return {
    id: row.id,
    ...Object.fromEntries(fields),
    content: json(row, "content_parts") ?? row.content,
    extra: wordsExtra(json(row, "extra")),
    uid: uidOfRow(row),
  };
}
