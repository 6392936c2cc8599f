import type { SessionId } from "#conversation";
import type { SqlValue } from "../database.ts";
import type { Route } from "../records/gateway.ts";
import { orNull } from "../row.ts";
import { toRoute } from "../rows/gateway.ts";
import type { Routes } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

const defaultLimit = 1000;

export class RouteRepository implements Routes {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async get(sessionKey: string): Promise<Route | undefined> {
    const row = await this.#context.db.get("SELECT * FROM gw_session WHERE session_key = ?", [
      canonicalKey(sessionKey),
    ]);
    return row === undefined ? undefined : toRoute(row);
  }

  async put(route: Route): Promise<void> {
    await this.#context.db.run(
      `INSERT INTO gw_session (session_key, session_id, platform, chat_type, chat_id, thread_id, user_id,
         created_at_ms, updated_at_ms, details)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (session_key) DO UPDATE SET session_id = excluded.session_id, platform = excluded.platform,
         chat_type = excluded.chat_type, chat_id = excluded.chat_id, thread_id = excluded.thread_id,
         user_id = excluded.user_id, updated_at_ms = excluded.updated_at_ms, details = excluded.details`,
      [
        route.sessionKey,
        route.sessionId,
        route.platform,
        route.chatType,
        orNull(route.chatId),
        orNull(route.threadId),
        orNull(route.userId),
        route.createdAtMs,
        route.updatedAtMs,
        JSON.stringify(route.details),
      ],
    );
  }

  async bySession(sessionId: SessionId): Promise<Route | undefined> {
    const row = await this.#context.db.get(
      "SELECT * FROM gw_session WHERE session_id = ? ORDER BY updated_at_ms DESC LIMIT 1",
      [sessionId],
    );
    return row === undefined ? undefined : toRoute(row);
  }

  async list(options: { platform?: string; chatId?: string; limit?: number } = {}): Promise<readonly Route[]> {
    const conditions: string[] = [];
    const params: SqlValue[] = [];
    for (const [column, value] of [
      ["platform", options.platform],
      ["chat_id", options.chatId],
    ] as const) {
      if (value === undefined) continue;
      conditions.push(`${column} = ?`);
      params.push(value);
    }
    const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
    const rows = await this.#context.db.all(
      `SELECT * FROM gw_session${where} ORDER BY updated_at_ms DESC, session_key LIMIT ?`,
      [...params, options.limit ?? defaultLimit],
    );
    return rows.map(toRoute);
  }

  async remove(sessionKey: string): Promise<boolean> {
    return (
      (await this.#context.db.run("DELETE FROM gw_session WHERE session_key = ?", [canonicalKey(sessionKey)])) === 1
    );
  }

  async prune(olderThanMs: number): Promise<number> {
    return await this.#context.db.run(
      `DELETE FROM gw_session WHERE updated_at_ms < ? AND session_key NOT IN
       (SELECT session_key FROM gw_turn WHERE status IN ('running', 'awaiting'))`,
      [olderThanMs],
    );
  }
}

/** Keys that people and programs write may say `private` for `dm`. */
function canonicalKey(key: string): string {
  return key.replace(/^(agent:[^:]+:[^:]+):private(?=:|$)/u, "$1:dm");
}
