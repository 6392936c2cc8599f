import type { SessionId } from "#conversation";
import type { Row } from "../database.ts";
import type { SearchContext, SearchHit, SearchOptions } from "../records/message.ts";
import { maybeText, millis, number, text } from "../row.ts";
import { uidOfRow } from "../rows/message.ts";
import { parseQuery, termsOf } from "../search/query.ts";
import { contextText } from "../search/snippet.ts";
import type { WorkContext } from "./context.ts";
import { searchPostgres } from "./postgres-full-text.ts";
import { searchSqlite } from "./sqlite-full-text.ts";

const defaultLimit = 20;
const maxLimit = 1000;

/** Finds messages; what is typed never makes the engine complain. */
export async function searchMessages(
  context: WorkContext,
  input: Omit<SearchOptions, "signal"> & { readonly query: string },
): Promise<readonly SearchHit[]> {
  const tokens = parseQuery(input.query);
  if (termsOf(tokens).length === 0) return [];
  const limit = Math.min(maxLimit, Math.max(0, Math.trunc(input.limit ?? defaultLimit)));
  const page = { ...input, limit, offset: Math.max(0, Math.trunc(input.offset ?? 0)) };
  const search = context.db.dialect.name === "sqlite" ? searchSqlite : searchPostgres;
  const rows = limit === 0 ? [] : await search(context, tokens, page);
  const hits: SearchHit[] = [];
  for (const row of rows) {
    context.signal.throwIfAborted();
    hits.push(await toHit(context, row));
  }
  return hits;
}

async function toHit(context: WorkContext, row: Row): Promise<SearchHit> {
  return {
    id: number(row, "id"),
    uid: uidOfRow(row),
    sessionId: text(row, "session_id") as SessionId,
    role: text(row, "role"),
    timestampMs: millis(row, "timestamp"),
    toolName: maybeText(row, "tool_name"),
    snippet: text(row, "snippet"),
    context: await surroundings(context, row),
    source: text(row, "source"),
    model: maybeText(row, "model"),
    sessionStartedMs: millis(row, "started_at"),
  };
}

/** The message before, the match itself and the message after, of the same session. */
async function surroundings(context: WorkContext, row: Row): Promise<readonly SearchContext[]> {
  const location = [text(row, "session_id"), number(row, "timestamp"), number(row, "id")];
  const before = await context.db.get(
    `SELECT role, substr(content, 1, 200) AS content FROM messages
     WHERE session_id = ? AND (timestamp, id) < (?, ?) ORDER BY timestamp DESC, id DESC LIMIT 1`,
    location,
  );
  const match = await context.db.get("SELECT role, substr(content, 1, 200) AS content FROM messages WHERE id = ?", [
    number(row, "id"),
  ]);
  const after = await context.db.get(
    `SELECT role, substr(content, 1, 200) AS content FROM messages
     WHERE session_id = ? AND (timestamp, id) > (?, ?) ORDER BY timestamp, id LIMIT 1`,
    location,
  );
  return [before, match, after]
    .filter((found): found is Row => found !== undefined)
    .map((found) => ({ role: text(found, "role"), content: contextText(maybeText(found, "content") ?? "") }));
}
