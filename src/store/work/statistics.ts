import type { StoreStatistics } from "../records/report.ts";
import { number, text } from "../row.ts";
import type { WorkContext } from "./context.ts";

export async function statistics(context: WorkContext, _input: object): Promise<StoreStatistics> {
  const { db } = context;
  const rows = await db.all(
    `SELECT source, count(*) AS sessions, sum(message_count) AS messages,
       sum(CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END) AS open FROM sessions GROUP BY source ORDER BY sessions DESC, source`,
  );
  const counted = await db.get("SELECT count(*) AS n FROM messages");
  const size = await db.get(
    db.dialect.name === "sqlite"
      ? "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()"
      : "SELECT pg_database_size(current_database()) AS bytes",
  );
  const sum = (column: string): number => rows.reduce((total, row) => total + number(row, column), 0);
  return {
    sessions: sum("sessions"),
    messages: counted === undefined ? 0 : number(counted, "n"),
    openSessions: sum("open"),
    bySource: rows.map((row) => ({
      source: text(row, "source"),
      sessions: number(row, "sessions"),
      messages: number(row, "messages"),
    })),
    sizeBytes: size === undefined ? undefined : number(size, "bytes"),
  };
}
