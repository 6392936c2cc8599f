import type { SessionId } from "#conversation";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { plural } from "#foundation/text/figures";
import type { Clock } from "#foundation/time/clock";
import { autoPrune } from "../auto-prune.ts";
import { recount } from "../counters.ts";
import type { Database } from "../database.ts";
import { fingerprint, fsckReport } from "../fingerprint.ts";
import type { FsckReport } from "../records/report.ts";
import { number, text } from "../row.ts";
import { searchVector } from "../search/vector.ts";
import type { Aggregates, AutoPruneOptions, Maintenance } from "../store.ts";

const rowsPerRead = 500;

export interface PostgresMaintenanceContext {
  readonly db: Database;
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Files, pages and free space are the server's own business; what is checked here is what Hermes writes. */
export class PostgresMaintenance implements Maintenance {
  readonly #context: PostgresMaintenanceContext;

  constructor(context: PostgresMaintenanceContext) {
    this.#context = context;
  }

  async fsck(options: { repair?: boolean; signal?: AbortSignal } = {}): Promise<FsckReport> {
    const signal = options.signal ?? this.#context.signal;
    const { db } = this.#context;
    const before = await fingerprint(db, signal);
    const wrong = await db.all(
      `SELECT s.id FROM sessions s LEFT JOIN (SELECT session_id, count(*) AS n FROM messages GROUP BY session_id) m
         ON m.session_id = s.id WHERE coalesce(s.message_count, 0) <> coalesce(m.n, 0)`,
    );
    const unindexed = await db.get("SELECT count(*) AS n FROM messages WHERE search IS NULL");
    const missing = unindexed === undefined ? 0 : number(unindexed, "n");
    const repairs: string[] = [];
    if (options.repair === true) {
      for (const row of wrong) await db.transaction((tx) => recount(tx, text(row, "id") as SessionId));
      if (wrong.length > 0) repairs.push(`Counted the messages of ${plural(wrong.length, "session")} again.`);
      const indexed = await this.indexPending(signal);
      if (indexed > 0) repairs.push(`Took ${indexed} messages into the search index.`);
    }
    const after = options.repair === true ? await fingerprint(db, signal) : before;
    const problems = [
      ...(wrong.length > 0 ? [`${plural(wrong.length, "session")} with a wrong count of messages.`] : []),
      ...(missing > 0 ? [`${missing} messages are not in the search index.`] : []),
    ];
    return fsckReport({ problems, repairs }, { before, after });
  }

  async backup(): Promise<void> {
    throw new UserError("Hermes does not copy a PostgreSQL database.", {
      hint: "Use: pg_dump",
      code: "backup_unsupported",
    });
  }

  async compact(): Promise<void> {
    // The server reclaims space by itself.
  }

  async indexPending(signal: AbortSignal): Promise<number> {
    const { db } = this.#context;
    let total = 0;
    for (;;) {
      signal.throwIfAborted();
      const rows = await db.all(`SELECT id, content FROM messages WHERE search IS NULL LIMIT ${rowsPerRead}`);
      if (rows.length === 0) return total;
      await db.transaction(async (tx) => {
        for (const row of rows)
          await tx.run("UPDATE messages SET search = ?::tsvector WHERE id = ?", [
            searchVector(typeof row.content === "string" ? row.content : ""),
            number(row, "id"),
          ]);
      });
      total += rows.length;
    }
  }

  async autoPrune(options: AutoPruneOptions): Promise<number | undefined> {
    return await autoPrune({ ...this.#context, compact: () => this.compact() }, options);
  }
}
