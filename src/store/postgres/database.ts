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

/** Statements as the server takes them, for libraries that bring their own. */
export interface RawQueries {
  raw(text: string, values?: unknown[]): Promise<{ readonly rows: Row[] }>;
}

export function rawQueries(db: Database): RawQueries {
  if (db instanceof PostgresDatabase || db instanceof OpenTransaction) return { raw: (...call) => db.raw(...call) };
  throw new Error("This is no PostgreSQL database.");
}

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

  async raw(text: string, values?: unknown[]): Promise<{ readonly rows: Row[] }> {
    return await this.#pool.query<Record<string, string | number | null>>(text, values);
  }

  afterCommit(act: () => void): void {
    act();
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
    const transaction = new OpenTransaction(client);
    const result = await this.#settle(fn, { client, transaction });
    transaction.committed();
    return result;
  }

  async #settle<T>(
    fn: (tx: Database) => Promise<T>,
    { client, transaction }: { readonly client: PoolClient; readonly transaction: OpenTransaction },
  ): Promise<T> {
    let broken: Error | undefined;
    try {
      await client.query("BEGIN");
      const result = await fn(transaction);
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
  readonly #afterCommit: (() => void)[] = [];

  constructor(client: Querying) {
    this.#client = client;
  }

  afterCommit(act: () => void): void {
    this.#afterCommit.push(act);
  }

  committed(): void {
    for (const act of this.#afterCommit) act();
  }

  async raw(text: string, values?: unknown[]): Promise<{ readonly rows: Row[] }> {
    return await this.#client.query<Record<string, string | number | null>>(text, values);
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
