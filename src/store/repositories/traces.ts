import type { SessionId } from "#conversation";
import { likeLiteral, placeholders } from "../database.ts";
import type { InboxEntry, Route, TracesOfChat } from "../records/gateway.ts";
import { number, text } from "../row.ts";
import { toInboxEntry, toRoute } from "../rows/gateway.ts";
import type { Traces } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

export class TraceRepository implements Traces {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async chatsNaming(platform: string, id: string): Promise<readonly string[]> {
    const rows = await this.#context.db.all(
      `SELECT session_key FROM gw_session WHERE platform = ? AND (chat_id = ? OR user_id = ?)
       UNION SELECT session_key FROM gw_inbox WHERE platform = ? AND event LIKE ? ESCAPE '\\' ORDER BY session_key`,
      [platform, id, id, platform, `%${likeLiteral(JSON.stringify(id))}%`],
    );
    const found = new Set(rows.map((row) => text(row, "session_key")));
    for (const key of await this.#sealedNaming(platform, id)) found.add(key);
    return [...found].sort();
  }

  /** What is encrypted can only be looked through here. */
  async #sealedNaming(platform: string, id: string): Promise<readonly string[]> {
    const { db, sealer } = this.#context;
    if (sealer === undefined) return [];
    const named = JSON.stringify(id);
    const keys: string[] = [];
    for (let after = 0; ; ) {
      const rows = await db.all(
        "SELECT id, session_key, event FROM gw_inbox WHERE platform = ? AND id > ? ORDER BY id LIMIT 500",
        [platform, after],
      );
      for (const row of rows) if (sealer.open(text(row, "event")).includes(named)) keys.push(text(row, "session_key"));
      const last = rows.at(-1);
      if (last === undefined) return keys;
      after = number(last, "id");
    }
  }

  async ofChat(sessionKey: string): Promise<TracesOfChat> {
    const { db } = this.#context;
    const route = await db.get("SELECT * FROM gw_session WHERE session_key = ?", [sessionKey]);
    const received = await db.all("SELECT * FROM gw_inbox WHERE session_key = ? ORDER BY id", [sessionKey]);
    const owed = await db.all("SELECT idempotency_key FROM gw_outbox WHERE session_key = ? ORDER BY id", [sessionKey]);
    const turns = await db.all("SELECT DISTINCT session_id FROM gw_turn WHERE session_key = ?", [sessionKey]);
    const known: Route | undefined = route === undefined ? undefined : toRoute(route);
    const sessionIds = new Set(turns.map((row) => text(row, "session_id") as SessionId));
    if (known !== undefined) sessionIds.add(known.sessionId);
    return {
      route: known,
      received: received.map((row): InboxEntry => toInboxEntry(row, this.#context.sealer)),
      owedKeys: owed.map((row) => text(row, "idempotency_key")),
      sessionIds: [...sessionIds],
    };
  }

  async sessionsOf(source: string, userId: string): Promise<readonly SessionId[]> {
    const rows = await this.#context.db.all("SELECT id FROM sessions WHERE source = ? AND user_id = ?", [
      source,
      userId,
    ]);
    return rows.map((row) => text(row, "id") as SessionId);
  }

  async removeChat(sessionKey: string): Promise<void> {
    await this.#context.db.transaction(async (tx) => {
      for (const table of ["gw_inbox", "gw_outbox", "gw_turn", "gw_session"])
        await tx.run(`DELETE FROM ${table} WHERE session_key = ?`, [sessionKey]);
    });
  }

  async removeSent(platform: string, chatId: string): Promise<void> {
    await this.#context.db.run("DELETE FROM gw_outbox WHERE platform = ? AND chat_id = ?", [platform, chatId]);
  }

  async removeReceived(ids: readonly number[]): Promise<void> {
    if (ids.length > 0)
      await this.#context.db.run(`DELETE FROM gw_inbox WHERE id IN (${placeholders(ids.length)})`, [...ids]);
  }
}
