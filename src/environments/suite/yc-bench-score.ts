import { loadSqlite, type SqliteHandle } from "#foundation/files/sqlite";
import { isRecord } from "#foundation/text/json";

/** How a company ended. */
export interface CompanyEnd {
  readonly fundsCents: number;
  /** `bankruptcy`, `horizon_end`, `unknown`, or `db_missing`. */
  readonly reason: string;
  readonly survived: boolean;
}

const startCents = 25_000_000;

/** From the database of a simulation; undefined: there is none. */
export async function readCompany(file: string | undefined): Promise<CompanyEnd> {
  if (file === undefined) return { fundsCents: 0, reason: "db_missing", survived: false };
  const { DatabaseSync } = await loadSqlite();
  const database = new DatabaseSync(file);
  try {
    const funds = field(database, "SELECT funds_cents AS value FROM companies LIMIT 1");
    const fundsCents = typeof funds === "number" ? funds : 0;
    const newest =
      "SELECT event_type AS value FROM sim_events WHERE event_type IN ('bankruptcy', 'horizon_end') ORDER BY scheduled_at DESC LIMIT 1";
    const event = field(database, newest);
    const reason = typeof event === "string" ? event : "unknown";
    return { fundsCents, reason, survived: fundsCents >= 0 && reason !== "bankruptcy" };
  } finally {
    database.close();
  }
}

/** A database of another making, or none at all, has no such table. */
function field(database: SqliteHandle, sql: string): unknown {
  try {
    const row = database.prepare(sql).get();
    return isRecord(row) ? row["value"] : undefined;
  } catch {
    return undefined;
  }
}

/** Half for being alive, half for money on a logarithmic scale: a hundred times the first funds is all of it. */
export function compositeScore(
  { fundsCents, survived }: Pick<CompanyEnd, "fundsCents" | "survived">,
  weights: { readonly survival: number; readonly funds: number } = { survival: 0.5, funds: 0.5 },
): number {
  const funds = fundsCents <= 0 ? 0 : Math.min(1, Math.log1p(fundsCents / startCents) / Math.log(101));
  return weights.survival * (survived ? 1 : 0) + weights.funds * funds;
}
