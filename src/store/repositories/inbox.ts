import type { TurnId } from "#conversation";
import { placeholders, type SqlValue } from "../database.ts";
import type { Admission, Backlog, Cursor, InboxEntry, InboxStatus, NewInboxEntry } from "../records/gateway.ts";
import { maybeText, number, text } from "../row.ts";
import { toInboxEntry } from "../rows/gateway.ts";
import { sealed } from "../sealer.ts";
import type { Inbox } from "../store.ts";
import type { RepositoryContext } from "./context.ts";
import { backlogOf, countByStatus, deleteInBatches } from "./queues.ts";

const defaultLimit = 100;

export class InboxRepository implements Inbox {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async admit(entry: NewInboxEntry, cursor?: Cursor): Promise<Admission> {
    const { hints } = this.#context;
    const nowMs = this.#context.clock.now();
    if (entry.wakes === true) await hints.ready();
    return await this.#context.db.transaction(
      async (tx): Promise<Admission> => {
        const added = await tx.get(
          `INSERT INTO gw_inbox (dedup_key, platform, account, session_key, kind, event, status, attempts,
             available_at_ms, received_at_ms)
           VALUES (?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?) ON CONFLICT (dedup_key) DO NOTHING RETURNING id`,
          [
            entry.dedupKey,
            entry.platform,
            entry.account,
            entry.sessionKey,
            entry.kind,
            sealed(entry.event, this.#context.sealer),
            entry.availableAtMs ?? nowMs,
            nowMs,
          ],
        );
        if (cursor !== undefined) await new InboxRepository({ ...this.#context, db: tx }).setCursor(cursor);
        if (added !== undefined) {
          const { sessionKey } = entry;
          if (entry.wakes === true) await hints.write(tx, { kind: "wake", sessionKey });
          return { kind: "admitted", id: number(added, "id") };
        }
        const known = await tx.get("SELECT id, status FROM gw_inbox WHERE dedup_key = ?", [entry.dedupKey]);
        return {
          kind: "duplicate",
          id: known === undefined ? 0 : number(known, "id"),
          status: known === undefined ? "done" : (text(known, "status") as InboxStatus),
        };
      },
      // The platform forgets the event once it is acknowledged, so a power cut must not lose it either.
      { isDurable: entry.isAwaited !== true },
    );
  }

  async cursor(platform: string, account: string, name: string): Promise<string | undefined> {
    const row = await this.#context.db.get(
      "SELECT value FROM gw_cursor WHERE platform = ? AND account = ? AND name = ?",
      [platform, account, name],
    );
    return row === undefined ? undefined : maybeText(row, "value");
  }

  async setCursor(cursor: Cursor): Promise<void> {
    await this.#context.db.run(
      `INSERT INTO gw_cursor (platform, account, name, value) VALUES (?, ?, ?, ?)
       ON CONFLICT (platform, account, name) DO UPDATE SET value = excluded.value`,
      [cursor.platform, cursor.account, cursor.name, cursor.value],
    );
  }

  async waiting(sessionKey: string, most: number): Promise<number> {
    const row = await this.#context.db.get(
      "SELECT count(*) AS n FROM (SELECT 1 FROM gw_inbox WHERE session_key = ? AND status = 'pending' LIMIT ?) AS counted",
      [sessionKey, most],
    );
    return row === undefined ? 0 : number(row, "n");
  }

  async get(id: number): Promise<InboxEntry | undefined> {
    const row = await this.#context.db.get("SELECT * FROM gw_inbox WHERE id = ?", [id]);
    return row === undefined ? undefined : toInboxEntry(row, this.#context.sealer);
  }

  async pending(
    sessionKey: string,
    options: { limit?: number; kinds?: readonly string[] } = {},
  ): Promise<readonly InboxEntry[]> {
    const kinds = options.kinds ?? [];
    const ofKind = kinds.length === 0 ? "" : ` AND kind IN (${placeholders(kinds.length)})`;
    const rows = await this.#context.db.all(
      `SELECT * FROM gw_inbox WHERE session_key = ? AND status = 'pending' AND available_at_ms <= ?${ofKind}
       ORDER BY id LIMIT ?`,
      [sessionKey, this.#context.clock.now(), ...kinds, options.limit ?? defaultLimit],
    );
    return rows.map((row) => toInboxEntry(row, this.#context.sealer));
  }

  async waitingSessions(limit: number): Promise<readonly string[]> {
    const rows = await this.#context.db.all(
      `SELECT session_key, min(id) AS first FROM gw_inbox WHERE status = 'pending' AND available_at_ms <= ?
       GROUP BY session_key ORDER BY first LIMIT ?`,
      [this.#context.clock.now(), limit],
    );
    return rows.map((row) => text(row, "session_key"));
  }

  async claimedBy(sessionKey: string): Promise<readonly TurnId[]> {
    const rows = await this.#context.db.all(
      "SELECT DISTINCT turn_id FROM gw_inbox WHERE session_key = ? AND status = 'claimed' AND turn_id IS NOT NULL",
      [sessionKey],
    );
    return rows.map((row) => text(row, "turn_id") as TurnId);
  }

  async claimed(sessionKey: string): Promise<readonly InboxEntry[]> {
    const rows = await this.#context.db.all(
      "SELECT * FROM gw_inbox WHERE session_key = ? AND status = 'claimed' ORDER BY id",
      [sessionKey],
    );
    return rows.map((row) => toInboxEntry(row, this.#context.sealer));
  }

  async claim(ids: readonly number[], turnId: TurnId): Promise<readonly number[]> {
    if (ids.length === 0) return [];
    return await this.#context.db.transaction(async (tx) => {
      const rows = await tx.all(
        `UPDATE gw_inbox SET status = 'claimed', turn_id = ? WHERE status = 'pending' AND id IN (${placeholders(ids.length)})
         RETURNING id`,
        [turnId, ...ids],
      );
      return rows.map((row) => number(row, "id")).sort((left, right) => left - right);
    });
  }

  async finish(ids: readonly number[], status: "done" | "dropped"): Promise<void> {
    if (ids.length === 0) return;
    await this.#context.db.run(
      `UPDATE gw_inbox SET status = ?, done_at_ms = ? WHERE id IN (${placeholders(ids.length)})`,
      [status, this.#context.clock.now(), ...ids],
    );
  }

  async release(
    turnId: TurnId,
    options?: { maxAttempts: number },
  ): Promise<{ released: readonly number[]; dead: readonly number[] }> {
    return await this.#context.db.transaction(async (tx) => {
      const rows =
        options === undefined
          ? await tx.all(
              `UPDATE gw_inbox SET turn_id = NULL, status = 'pending' WHERE turn_id = ? AND status = 'claimed'
               RETURNING id, status`,
              [turnId],
            )
          : await tx.all(
              `UPDATE gw_inbox SET attempts = attempts + 1, turn_id = NULL,
                 status = CASE WHEN attempts + 1 >= ? THEN 'dead' ELSE 'pending' END,
                 done_at_ms = CASE WHEN attempts + 1 >= ? THEN CAST(? AS BIGINT) ELSE NULL END
               WHERE turn_id = ? AND status = 'claimed' RETURNING id, status`,
              [options.maxAttempts, options.maxAttempts, this.#context.clock.now(), turnId],
            );
      const ids = (status: string): readonly number[] =>
        rows
          .filter((row) => row.status === status)
          .map((row) => number(row, "id"))
          .sort((left, right) => left - right);
      return { released: ids("pending"), dead: ids("dead") };
    });
  }

  async countAttempt(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#context.db.run(
      `UPDATE gw_inbox SET attempts = attempts + 1 WHERE id IN (${placeholders(ids.length)})`,
      ids,
    );
  }

  async forgiveAttempts(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#context.db.run(`UPDATE gw_inbox SET attempts = 0 WHERE id IN (${placeholders(ids.length)})`, ids);
  }

  async bury(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#context.db.run(
      `UPDATE gw_inbox SET status = 'dead', done_at_ms = ? WHERE id IN (${placeholders(ids.length)})`,
      [this.#context.clock.now(), ...ids],
    );
  }

  async postpone(ids: readonly number[], untilMs: number): Promise<void> {
    if (ids.length === 0) return;
    await this.#context.db.run(
      `UPDATE gw_inbox SET available_at_ms = ? WHERE status = 'pending' AND id IN (${placeholders(ids.length)})`,
      [untilMs, ...ids],
    );
  }

  async list(options: { status?: InboxStatus; limit?: number }): Promise<readonly InboxEntry[]> {
    const params: SqlValue[] = options.status === undefined ? [] : [options.status];
    const rows = await this.#context.db.all(
      `SELECT * FROM gw_inbox${options.status === undefined ? "" : " WHERE status = ?"} ORDER BY id DESC LIMIT ?`,
      [...params, options.limit ?? defaultLimit],
    );
    return rows.map((row) => toInboxEntry(row, this.#context.sealer));
  }

  async redrive(id: number): Promise<boolean> {
    const changed = await this.#context.db.run(
      `UPDATE gw_inbox SET status = 'pending', attempts = 0, turn_id = NULL, done_at_ms = NULL, available_at_ms = ?
       WHERE id = ? AND status IN ('dead', 'dropped')`,
      [this.#context.clock.now(), id],
    );
    return changed === 1;
  }

  async counts(): Promise<Readonly<Record<InboxStatus, number>>> {
    const none: Record<InboxStatus, number> = { pending: 0, claimed: 0, done: 0, dropped: 0, dead: 0 };
    return await countByStatus(this.#context.db, "gw_inbox", none);
  }

  async backlog(): Promise<Backlog> {
    return await backlogOf(this.#context.db, "gw_inbox", "received_at_ms");
  }

  async prune(olderThan: { doneMs: number; deadMs: number }): Promise<number> {
    return await deleteInBatches(this.#context.db, "gw_inbox", {
      where: "(status IN ('done', 'dropped') AND done_at_ms < ?) OR (status = 'dead' AND done_at_ms < ?)",
      params: [olderThan.doneMs, olderThan.deadMs],
    });
  }
}
