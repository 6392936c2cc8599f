import type { Database, SqlParams } from "../database.ts";
import type { Backlog } from "../records/gateway.ts";
import { number, text } from "../row.ts";

const rowsPerBatch = 1000;

export async function countByStatus<S extends string>(
  db: Database,
  table: "gw_inbox" | "gw_outbox",
  none: Readonly<Record<S, number>>,
): Promise<Readonly<Record<S, number>>> {
  const rows = await db.all(`SELECT status, count(*) AS n FROM ${table} GROUP BY status`);
  return { ...none, ...Object.fromEntries(rows.map((row) => [text(row, "status"), number(row, "n")])) };
}

export async function backlogOf(
  db: Database,
  table: "gw_inbox" | "gw_outbox",
  since: "received_at_ms" | "created_at_ms",
): Promise<Backlog> {
  const waiting = `FROM ${table} WHERE status = 'pending'`;
  const rows = await db.all(`SELECT platform, count(*) AS n ${waiting} GROUP BY platform ORDER BY platform`);
  const byPlatform = Object.fromEntries(rows.map((row) => [text(row, "platform"), number(row, "n")]));
  const all = Object.values(byPlatform).reduce((sum, one) => sum + one, 0);
  const older = Math.max(0, Math.floor(all * 0.05));
  const row = await db.get(`SELECT ${since} AS since ${waiting} ORDER BY ${since} LIMIT 1 OFFSET ?`, [older]);
  return { byPlatform, p95SinceMs: row === undefined ? undefined : number(row, "since") };
}

/** Many small transactions, so that nobody waits long for the table. */
export async function deleteInBatches(
  db: Database,
  table: "gw_inbox" | "gw_outbox" | "gw_turn" | "cron_run",
  condition: { readonly where: string; readonly params: SqlParams },
): Promise<number> {
  const key = table === "gw_turn" ? "turn_id" : "id";
  let removed = 0;
  for (;;) {
    const batch = await db.run(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${condition.where} LIMIT ${rowsPerBatch})`,
      condition.params,
    );
    removed += batch;
    if (batch < rowsPerBatch) return removed;
  }
}
