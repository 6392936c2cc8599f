import { HermesError } from "#foundation/errors";
import { linkSignals, never } from "#foundation/lifecycle/abort";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import type { Database, Row, SqlParams, TransactionOptions } from "../database.ts";
import { type Dialect, sqliteDialect } from "../dialect.ts";
import type { SqliteConnection } from "./connection.ts";
import { beginImmediate, whileBusy } from "./write-lock.ts";

export interface SqliteDatabaseOptions {
  readonly clock: Clock;
  /** Ends every wait for a lock: the store is closing. */
  readonly signal: AbortSignal;
  /** Hears of every committed transaction. */
  readonly onCommit?: () => void;
}

/**
 * The seam over one connection. Statements run at once, on this thread; a transaction has the connection
 * to itself until it ends.
 */
export class SqliteDatabase implements Database {
  readonly dialect: Dialect = sqliteDialect;
  readonly #connection: SqliteConnection;
  readonly #options: SqliteDatabaseOptions;
  readonly #turn = new Mutex();

  constructor(connection: SqliteConnection, options: SqliteDatabaseOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  all(sql: string, params: SqlParams = []): Promise<readonly Row[]> {
    return this.#read(() => this.#connection.all(sql, params));
  }

  get(sql: string, params: SqlParams = []): Promise<Row | undefined> {
    return this.#read(() => this.#connection.get(sql, params));
  }

  run(sql: string, params: SqlParams = []): Promise<number> {
    return this.transaction((tx) => tx.run(sql, params));
  }

  afterCommit(act: () => void): void {
    act();
  }

  async transaction<T>(fn: (tx: Database) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const signal = linkSignals(this.#options.signal, options.signal);
    using _hold = await this.#turn.lock(audible(signal));
    if (options.isDurable === true) await this.#synchronize("FULL");
    try {
      await beginImmediate(this.#connection, { clock: this.#options.clock, signal });
      const transaction = new OpenTransaction(this.#connection);
      const result = await this.#settle(fn, transaction);
      this.#options.onCommit?.();
      transaction.committed();
      return result;
    } finally {
      if (options.isDurable === true) await this.#synchronize("NORMAL");
    }
  }

  /** Runs something that needs the connection to itself and is no transaction (VACUUM, a checkpoint). */
  async exclusive<T>(act: (connection: SqliteConnection) => T): Promise<T> {
    using _hold = await this.#turn.lock(audible(this.#options.signal));
    return await whileBusy(() => act(this.#connection), this.#options);
  }

  /** Runs something that begins and ends transactions of its own on the bare connection. */
  async whole<T>(act: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    using _hold = await this.#turn.lock(audible(this.#options.signal));
    return await act(this.#connection);
  }

  async #settle<T>(fn: (tx: Database) => Promise<T>, transaction: OpenTransaction): Promise<T> {
    try {
      const result = await fn(transaction);
      transaction.close();
      // In this journal mode a commit is never refused for a reader, so there is nothing to wait for.
      this.#connection.exec("COMMIT");
      return result;
    } catch (error) {
      transaction.close();
      this.#connection.rollback();
      throw error;
    }
  }

  async #synchronize(level: "FULL" | "NORMAL"): Promise<void> {
    await whileBusy(() => this.#connection.exec(`PRAGMA synchronous = ${level}`), this.#options);
  }

  async #read<T>(act: () => T): Promise<T> {
    using _hold = await this.#turn.lock(audible(this.#options.signal));
    return await whileBusy(act, this.#options);
  }
}

/** The handle inside a transaction; it holds the lock, so nothing here waits. */
class OpenTransaction implements Database {
  readonly dialect: Dialect = sqliteDialect;
  readonly #connection: SqliteConnection;
  readonly #afterCommit: (() => void)[] = [];
  #isOpen = true;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  afterCommit(act: () => void): void {
    this.#afterCommit.push(act);
  }

  committed(): void {
    for (const act of this.#afterCommit) act();
  }

  async all(sql: string, params: SqlParams = []): Promise<readonly Row[]> {
    return this.#open().all(sql, params);
  }

  async get(sql: string, params: SqlParams = []): Promise<Row | undefined> {
    return this.#open().get(sql, params);
  }

  async run(sql: string, params: SqlParams = []): Promise<number> {
    return this.#open().run(sql, params);
  }

  close(): void {
    this.#isOpen = false;
  }

  #open(): SqliteConnection {
    if (this.#isOpen) return this.#connection;
    throw new HermesError("A database transaction was used after it had ended.", { code: "transaction_ended" });
  }

  async transaction<T>(fn: (tx: Database) => Promise<T>): Promise<T> {
    return await fn(this);
  }
}

/** A signal that can never fire needs no listener per waiter. */
function audible(signal: AbortSignal): AbortSignal | undefined {
  return signal === never ? undefined : signal;
}
