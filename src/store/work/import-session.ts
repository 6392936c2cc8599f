import type { Message, SessionId } from "#conversation";
import { UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { appendMessages } from "../append.ts";
import type { SqlValue } from "../database.ts";
import type { AppendResult } from "../records/message.ts";
import type { ExportedSession } from "../records/session.ts";
import { sessionColumns } from "../rows/session.ts";
import { nextTitle } from "../titles.ts";
import type { WorkContext } from "./context.ts";

/** Counters follow from the messages that are written, and links only hold where their other end exists. */
const derived = new Set<string>(["message_count", "tool_call_count", "parent_session_id", "title"]);
const messageFields = new Set(["id", "session_id", "token_count", "extra"]);
const roles = new Set(["user", "assistant", "tool"]);

export async function importSession(context: WorkContext, input: { session: ExportedSession }): Promise<AppendResult> {
  const { session } = input;
  if (typeof session.id !== "string" || session.id === "" || !Array.isArray(session.messages))
    throw new UserError("This is not an exported session: it has no id or no messages.", {
      hint: "Give a file written by: hermes sessions export",
      code: "import_invalid",
    });
  return await context.db.transaction(async (tx) => {
    const columns = sessionColumns.filter((column) => !derived.has(column) && column !== "id" && column !== "source");
    await tx.run(
      `INSERT INTO sessions (id, source, parent_session_id, title, ${columns.join(", ")})
       VALUES (?, ?, (SELECT id FROM sessions WHERE id = ?), ?, ${columns.map(() => "?").join(", ")})
       ON CONFLICT (id) DO NOTHING`,
      [
        session.id,
        typeof session.source === "string" ? session.source : "import",
        scalar(session.parent_session_id),
        typeof session.title === "string" ? await nextTitle(tx, session.title) : null,
        ...columns.map((column) => importedValue(column, session[column], context.clock.now() / 1000)),
      ],
    );
    const messages = session.messages.filter(isRecord).map(importedMessage).filter(isMessage);
    return await appendMessages({ db: tx, clock: context.clock }, session.id as SessionId, { messages });
  });
}

function importedValue(column: string, value: unknown, nowS: number): SqlValue {
  if (column === "model_config") return value === null || value === undefined ? null : JSON.stringify(value);
  if (column === "started_at") return typeof value === "number" ? value : nowS;
  if (column.endsWith("_tokens") && column !== "last_prompt_tokens") return typeof value === "number" ? value : 0;
  if (column === "api_call_count") return typeof value === "number" ? value : 0;
  return scalar(value);
}

function scalar(value: unknown): SqlValue {
  return typeof value === "string" || typeof value === "number" ? value : null;
}

function importedMessage(row: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(row).filter(([name, value]) => !messageFields.has(name) && value !== null);
  return { ...(isRecord(row.extra) ? row.extra : {}), ...Object.fromEntries(fields), content: row.content ?? "" };
}

function isMessage(value: Record<string, unknown>): value is Record<string, unknown> & Message {
  const hasContent = typeof value.content === "string" || Array.isArray(value.content);
  const hasCalls = value.tool_calls === undefined || Array.isArray(value.tool_calls);
  return typeof value.role === "string" && roles.has(value.role) && hasContent && hasCalls;
}
