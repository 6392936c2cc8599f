import type { SqlValue } from "../database.ts";
import type { Backlog, NewOutboxEntry, OutboxEntry, OutboxStatus } from "../records/gateway.ts";
import { number, orNull } from "../row.ts";
import { toOutboxEntry } from "../rows/gateway.ts";
import { sealed } from "../sealer.ts";
import type { Outbox } from "../store.ts";
import type { RepositoryContext } from "./context.ts";
import { backlogOf, countByStatus, deleteInBatches } from "./queues.ts";

const defaultLimit = 100;
/** What holds up the rest of its chat. One that nobody will ever know about (`unknown`) does not. */
const open = "('pending', 'sending')";

interface Account {
  readonly platform: string;
  readonly account: string;
}

export class OutboxRepository implements Outbox {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async owe(entries: readonly NewOutboxEntry[]): Promise<readonly number[]> {
    const nowMs = this.#context.clock.now();
    return await this.#context.db.transaction(async (tx) => {
      const ids: number[] = [];
      const accounts = new Map<string, Account>();
      for (const entry of entries) {
        const chat = [entry.platform, entry.account, entry.chatId];
        const added = await tx.get(
          `INSERT INTO gw_outbox (idempotency_key, session_key, platform, account, chat_id, thread_id, kind, payload,
             order_no, status, attempts, next_attempt_at_ms, created_at_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(order_no), 0) + 1 FROM gw_outbox
             WHERE platform = ? AND account = ? AND chat_id = ?), 'pending', 0, ?, ?)
           ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`,
          [
            entry.idempotencyKey,
            entry.sessionKey,
            ...chat,
            orNull(entry.threadId),
            entry.kind,
            sealed(entry.payload, this.#context.sealer),
            ...chat,
            nowMs,
            nowMs,
          ],
        );
        if (added === undefined) continue;
        ids.push(number(added, "id"));
        accounts.set(`${entry.platform}:${entry.account}`, entry);
      }
      for (const { platform, account } of accounts.values())
        await this.#context.hints.write(tx, { kind: "owed", platform, account });
      return ids;
    });
  }

  async get(id: number): Promise<OutboxEntry | undefined> {
    const row = await this.#context.db.get("SELECT * FROM gw_outbox WHERE id = ?", [id]);
    return row === undefined ? undefined : toOutboxEntry(row, this.#context.sealer);
  }

  async byKey(idempotencyKey: string): Promise<OutboxEntry | undefined> {
    const row = await this.#context.db.get("SELECT * FROM gw_outbox WHERE idempotency_key = ?", [idempotencyKey]);
    return row === undefined ? undefined : toOutboxEntry(row, this.#context.sealer);
  }

  async due(account: Account, options: { limit?: number } = {}): Promise<readonly OutboxEntry[]> {
    const rows = await this.#context.db.all(
      `SELECT * FROM gw_outbox o WHERE o.platform = ? AND o.account = ? AND o.status = 'pending'
         AND o.next_attempt_at_ms <= ? AND NOT EXISTS (
           SELECT 1 FROM gw_outbox e WHERE e.platform = o.platform AND e.account = o.account AND e.chat_id = o.chat_id
             AND e.status IN ${open} AND (e.order_no < o.order_no OR (e.order_no = o.order_no AND e.id < o.id)))
       ORDER BY o.created_at_ms, o.id LIMIT ?`,
      [account.platform, account.account, this.#context.clock.now(), options.limit ?? defaultLimit],
    );
    return rows.map((row) => toOutboxEntry(row, this.#context.sealer));
  }

  async startSending(id: number): Promise<boolean> {
    const changed = await this.#context.db.run(
      "UPDATE gw_outbox SET status = 'sending', attempts = attempts + 1 WHERE id = ? AND status = 'pending'",
      [id],
    );
    return changed === 1;
  }

  async markSent(id: number, platformMessageId: string | undefined): Promise<void> {
    await this.#context.db.run(
      `UPDATE gw_outbox SET status = 'sent', sent_at_ms = ?, error_class = NULL,
         platform_message_id = coalesce(?, platform_message_id) WHERE id = ?`,
      [this.#context.clock.now(), orNull(platformMessageId), id],
    );
  }

  async retryAt(id: number, options: { atMs: number; errorClass: string }): Promise<void> {
    await this.#context.db.run(
      `UPDATE gw_outbox SET status = 'pending', next_attempt_at_ms = ?, error_class = ?
       WHERE id = ? AND status IN ${open}`,
      [options.atMs, options.errorClass, id],
    );
  }

  async fail(id: number, options: { status: "failed" | "dead" | "unknown"; errorClass: string }): Promise<void> {
    await this.#context.db.run(`UPDATE gw_outbox SET status = ?, error_class = ? WHERE id = ? AND status IN ${open}`, [
      options.status,
      options.errorClass,
      id,
    ]);
  }

  async interrupted(account: Account): Promise<readonly OutboxEntry[]> {
    const rows = await this.#context.db.all(
      "SELECT * FROM gw_outbox WHERE platform = ? AND account = ? AND status = 'sending' ORDER BY id",
      [account.platform, account.account],
    );
    return rows.map((row) => toOutboxEntry(row, this.#context.sealer));
  }

  async list(options: { status?: OutboxStatus; limit?: number }): Promise<readonly OutboxEntry[]> {
    const params: SqlValue[] = options.status === undefined ? [] : [options.status];
    const rows = await this.#context.db.all(
      `SELECT * FROM gw_outbox${options.status === undefined ? "" : " WHERE status = ?"} ORDER BY id DESC LIMIT ?`,
      [...params, options.limit ?? defaultLimit],
    );
    return rows.map((row) => toOutboxEntry(row, this.#context.sealer));
  }

  async redrive(id: number): Promise<boolean> {
    const changed = await this.#context.db.run(
      `UPDATE gw_outbox SET status = 'pending', attempts = 0, next_attempt_at_ms = ?
       WHERE id = ? AND status IN ('failed', 'dead', 'unknown')`,
      [this.#context.clock.now(), id],
    );
    return changed === 1;
  }

  async counts(): Promise<Readonly<Record<OutboxStatus, number>>> {
    const none: Record<OutboxStatus, number> = { pending: 0, sending: 0, sent: 0, unknown: 0, failed: 0, dead: 0 };
    return await countByStatus(this.#context.db, "gw_outbox", none);
  }

  async backlog(): Promise<Backlog> {
    return await backlogOf(this.#context.db, "gw_outbox", "created_at_ms");
  }

  async prune(olderThan: { doneMs: number; deadMs: number }): Promise<number> {
    return await deleteInBatches(this.#context.db, "gw_outbox", {
      where: "(status = 'sent' AND sent_at_ms < ?) OR (status IN ('failed', 'dead') AND created_at_ms < ?)",
      params: [olderThan.doneMs, olderThan.deadMs],
    });
  }
}
