import type { Message, SessionId } from "#conversation";
import { appendMessages } from "../append.ts";
import { recount } from "../counters.ts";
import { type Database, placeholders, type Row } from "../database.ts";
import type { AppendOptions, AppendResult, StoredMessage } from "../records/message.ts";
import { number } from "../row.ts";
import { extraValue, rowIdOfUid, toMessage, toStoredMessage } from "../rows/message.ts";
import type { Messages } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

const oldestFirst = "ORDER BY timestamp, id";

export class MessageRepository implements Messages {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async append(sessionId: SessionId, messages: readonly Message[], options: AppendOptions = {}): Promise<AppendResult> {
    const result = await appendMessages(this.#context, sessionId, { ...options, messages });
    if (result.ids.length > 0) this.#context.onAppended?.(result.ids.length);
    return result;
  }

  async amend(sessionId: SessionId, messages: readonly Message[]): Promise<number> {
    return await this.#context.db.transaction(async (tx) => {
      let amended = 0;
      for (const message of messages) {
        const [id] = await this.#rowIds(tx, sessionId, [message.uid ?? ""]);
        if (id === undefined) continue;
        amended += await tx.run("UPDATE messages SET extra = ? WHERE id = ?", [extraValue(message), id]);
      }
      return amended;
    });
  }

  async list(sessionId: SessionId): Promise<readonly StoredMessage[]> {
    return this.#stored(
      await this.#context.db.all(`SELECT * FROM messages WHERE session_id = ? ${oldestFirst}`, [sessionId]),
    );
  }

  async conversation(sessionId: SessionId): Promise<readonly Message[]> {
    const rows = await this.#context.db.all(`SELECT * FROM messages WHERE session_id = ? ${oldestFirst}`, [sessionId]);
    return rows
      .map((row) => toMessage(row, this.#onDamage(row)))
      .filter((message): message is Message => message !== undefined);
  }

  async byUids(sessionId: SessionId, uids: readonly string[]): Promise<readonly StoredMessage[]> {
    const ids = await this.#rowIds(this.#context.db, sessionId, uids);
    if (ids.length === 0) return [];
    const sql = `SELECT * FROM messages WHERE id IN (${placeholders(ids.length)}) ${oldestFirst}`;
    return this.#stored(await this.#context.db.all(sql, ids));
  }

  async count(sessionId: SessionId): Promise<number> {
    const row = await this.#context.db.get("SELECT count(*) AS n FROM messages WHERE session_id = ?", [sessionId]);
    return row === undefined ? 0 : number(row, "n");
  }

  async after(rowId: number, { limit }: { limit: number }): Promise<readonly StoredMessage[]> {
    const sql = "SELECT * FROM messages WHERE id > ? ORDER BY id LIMIT ?";
    return this.#stored(await this.#context.db.all(sql, [rowId, limit]));
  }

  async newestRow(): Promise<number> {
    const row = await this.#context.db.get("SELECT coalesce(max(id), 0) AS n FROM messages");
    return row === undefined ? 0 : number(row, "n");
  }

  async remove(sessionId: SessionId, uids: readonly string[]): Promise<number> {
    return await this.#context.db.transaction(async (tx) => {
      const ids = await this.#rowIds(tx, sessionId, uids);
      if (ids.length === 0) return 0;
      const removed = await tx.run(`DELETE FROM messages WHERE id IN (${placeholders(ids.length)})`, ids);
      await recount(tx, sessionId);
      return removed;
    });
  }

  async removeFrom(sessionId: SessionId, uid: string): Promise<number> {
    return await this.#context.db.transaction(async (tx) => {
      const [id] = await this.#rowIds(tx, sessionId, [uid]);
      const first = id === undefined ? undefined : await tx.get("SELECT timestamp FROM messages WHERE id = ?", [id]);
      if (id === undefined || first === undefined) return 0;
      const at = number(first, "timestamp");
      const removed = await tx.run(
        "DELETE FROM messages WHERE session_id = ? AND (timestamp > ? OR (timestamp = ? AND id >= ?))",
        [sessionId, at, at, id],
      );
      await recount(tx, sessionId);
      return removed;
    });
  }

  async clear(sessionId: SessionId): Promise<number> {
    const weightMs = (await this.count(sessionId)) / 10;
    return await this.#context.heavy.run("clear-messages", { sessionId }, { weightMs });
  }

  async #rowIds(db: Database, sessionId: SessionId, uids: readonly string[]): Promise<readonly number[]> {
    if (uids.length === 0) return [];
    const old = uids.map(rowIdOfUid).filter((id): id is number => id !== undefined);
    const byRow = old.length === 0 ? "" : ` OR (uid IS NULL AND id IN (${placeholders(old.length)}))`;
    const rows = await db.all(
      `SELECT id FROM messages WHERE session_id = ? AND (uid IN (${placeholders(uids.length)})${byRow})`,
      [sessionId, ...uids, ...old],
    );
    return rows.map((row) => number(row, "id"));
  }

  #stored(rows: readonly Row[]): readonly StoredMessage[] {
    return rows
      .map((row) => toStoredMessage(row, this.#onDamage(row)))
      .filter((message): message is StoredMessage => message !== undefined);
  }

  #onDamage(row: Row): (column: string) => void {
    return (column) =>
      this.#context.log.warn("stored message has a field that is not JSON", { messageId: row.id, column });
  }
}
