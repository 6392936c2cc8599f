import type { Pool } from "pg";
import { describe, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { buildAggregates, runTransaction } from "../aggregates.ts";
import type { RepositoryContext } from "../repositories/context.ts";
import type { Sealer } from "../sealer.ts";
import type { Store } from "../store.ts";
import { InlineWork } from "../work/inline-work.ts";
import { PostgresDatabase } from "./database.ts";
import { PostgresMaintenance } from "./maintenance.ts";
import { migratePostgres } from "./migrate.ts";
import { PostgresSignals } from "./signals.ts";

const mostConnections = 10;
const connectTimeoutMs = 10_000;
/** A program that stands still in the middle of a transaction, or whose machine is gone, holds others up no longer. */
const idleInTransactionMs = 10_000;

export interface PostgresStoreOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer?: Sealer | undefined;
}

export async function openPostgresStore(url: string, options: PostgresStoreOptions): Promise<Store> {
  const pool = await openPool(url, options.log);
  const closing = new AbortController();
  const db = new PostgresDatabase(pool, { clock: options.clock, signal: closing.signal });
  try {
    await migratePostgres(db, options.log);
  } catch (error) {
    await pool.end();
    throw explained(error, url);
  }
  const heavy = new InlineWork({ ...options, db });
  const signals = new PostgresSignals({ ...options, pool, db });
  const context: RepositoryContext = { ...options, db, heavy, hints: signals };
  const aggregates = buildAggregates(context);
  let ending: Promise<void> | undefined;
  return {
    kind: "postgres",
    ...aggregates,
    signals,
    maintenance: new PostgresMaintenance({ ...options, db, aggregates, signal: never }),
    transaction: (fn, transactionOptions) => runTransaction(context, fn, transactionOptions),
    [Symbol.asyncDispose]: () => {
      closing.abort();
      ending ??= signals[Symbol.asyncDispose]().finally(() => pool.end());
      return ending;
    },
  };
}

async function openPool(url: string, log: Logger): Promise<Pool> {
  const pg = await import("pg");
  const int8 = 20;
  const float8 = 701;
  const numeric = 1700;
  const asNumber = new Set<number>([int8, float8, numeric]);
  const pool = new pg.default.Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: "hermes",
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
    // Counters and times are numbers here, as they are in SQLite.
    types: {
      getTypeParser: (oid, format) => (asNumber.has(oid) ? Number : pg.default.types.getTypeParser(oid, format)),
    },
  });
  // A connection that the server closes must not end the process, whoever has it: an idle one is replaced by the next
  // query, and in the middle of a transaction the next statement fails.
  const lost = (error: Error): void => log.warn("a database connection was lost", { cause: describe(error) });
  pool.on("connect", (client) => client.on("error", lost));
  pool.on("error", () => undefined);
  return pool;
}

function explained(error: unknown, url: string): unknown {
  if (error instanceof UserError) return error;
  return new UserError(`The database at ${withoutPassword(url)} cannot be used: ${describe(error)}`, {
    hint: "Check store.url and that the server accepts connections from here.",
    code: "store_unreachable",
    cause: error,
  });
}

function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.password = "";
    parsed.search = "";
    return parsed.toString();
  } catch {
    return "store.url";
  }
}
