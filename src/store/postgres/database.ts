import type { Pool, PoolClient } from "pg";
import { linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { Database, Row, SqlParams, TransactionOptions } from "../database.ts";
import { type Dialect, numberedParameters, postgresDialect } from "../dialect.ts";

const maxAttempts = 15;
const shortestPauseMs = 20;
const longestPauseMs = 150;

export interface PostgresDatabaseOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type Querying = Pick<PoolClient, "query">;

/** The seam over a pool: a statement takes any connection, a transaction has one to itself. */
export class PostgresDatabase implements Database {
  readonly dialect: Dialect = postgresDialect;
  readonly #pool: Pool;
  readonly #options: PostgresDatabaseOptions;

  constructor(pool: Pool, options: PostgresDatabaseOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  async all(sql: string, params: SqlParams = []): Promise<readonly Row[]> {
    return (await query(this.#pool, sql, params)).rows;
  }

  async get(sql: string, params: SqlParams = []): Promise<Row | undefined> {
    return (await query(this.#pool, sql, params)).rows[0];
  }

  async run(sql: string, params: SqlParams = []): Promise<number> {
    return (await query(this.#pool, sql, params)).count;
  }

  /** A transaction that the server gave up for another one's sake is run again. */
  async transaction<T>(fn: (tx: Database) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const signal = linkSignals(this.#options.signal, options.signal);
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        return await this.#once(fn);
      } catch (error) {
        if (!isConflict(error) || attempt >= maxAttempts) throw error;
      }
      const pauseMs = shortestPauseMs + Math.random() * (longestPauseMs - shortestPauseMs);
      await this.#options.clock.sleep(pauseMs, signal);
    }
  }

  async #once<T>(fn: (tx: Database) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await client.query("BEGIN");
      const result = await fn(new OpenTransaction(client));
      await client.query("COMMIT");
      return result;
    } catch (error) {
      // A connection that cannot even roll back is not given back to the pool.
      await client.query("ROLLBACK").catch((reason: unknown) => {
        broken = reason instanceof Error ? reason : new Error(String(reason));
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

class OpenTransaction implements Database {
  readonly dialect: Dialect = postgresDialect;
  readonly #client: Querying;

  constructor(client: Querying) {
    this.#client = client;
  }

  async all(sql: string, params: SqlParams = []): Promise<readonly Row[]> {
    return (await query(this.#client, sql, params)).rows;
  }

  async get(sql: string, params: SqlParams = []): Promise<Row | undefined> {
    return (await query(this.#client, sql, params)).rows[0];
  }

  async run(sql: string, params: SqlParams = []): Promise<number> {
    return (await query(this.#client, sql, params)).count;
  }

  async transaction<T>(fn: (tx: Database) => Promise<T>): Promise<T> {
    return await fn(this);
  }
}

async function query(
  target: Querying,
  sql: string,
  params: SqlParams,
): Promise<{ readonly rows: readonly Row[]; readonly count: number }> {
  const result = await target.query<Record<string, string | number | null>>(numberedParameters(sql), [...params]);
  return { rows: result.rows, count: result.rowCount ?? 0 };
}

/** Serialization failure, deadlock. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "40001" || error.code === "40P01");
}
