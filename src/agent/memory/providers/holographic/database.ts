import type { SqliteHandle, SqliteStatement, SqlValue } from "#foundation/files/sqlite";
import type { Clock } from "#foundation/time/clock";
import { schema } from "./schema.ts";

export type Row = Readonly<Record<string, SqlValue>>;

const patienceMs = 2_000;
const maxStatements = 100;

/**
 * One connection to the fact store. Statements are small and run inline; when another process writes, the wait for it
 * happens here, outside SQLite, so that nothing else in this process stands still.
 */
export class FactDatabase implements Disposable {
  readonly #handle: SqliteHandle;
  readonly #clock: Clock;
  readonly #isBusy: (error: unknown) => boolean;
  readonly #statements = new Map<string, SqliteStatement>();

  private constructor(handle: SqliteHandle, clock: Clock, isBusy: (error: unknown) => boolean) {
    this.#handle = handle;
    this.#clock = clock;
    this.#isBusy = isBusy;
  }

  static async open(path: string, clock: Clock, signal: AbortSignal): Promise<FactDatabase> {
    const { isBusy, loadSqlite } = await import("#foundation/files/sqlite");
    const { DatabaseSync } = await loadSqlite();
    const database = new FactDatabase(new DatabaseSync(path), clock, isBusy);
    try {
      await database.#patiently(() => {
        database.#handle.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
      }, signal);
      await database.write(() => {
        database.#handle.exec(schema);
        database.#addMissingColumn();
      }, signal);
      return database;
    } catch (error) {
      database[Symbol.dispose]();
      throw error;
    }
  }

  all(sql: string, params: readonly SqlValue[] = []): readonly Row[] {
    return this.#statement(sql).all(...params) as readonly Row[];
  }

  get(sql: string, params: readonly SqlValue[] = []): Row | undefined {
    return this.#statement(sql).get(...params) as Row | undefined;
  }

  run(sql: string, params: readonly SqlValue[] = []): number {
    return Number(this.#statement(sql).run(...params).changes);
  }

  /** All of the work or none of it. The work must not wait for anything. */
  write<T>(work: () => T, signal: AbortSignal): Promise<T> {
    return this.#patiently(() => {
      this.#handle.exec("BEGIN IMMEDIATE");
      try {
        const value = work();
        this.#handle.exec("COMMIT");
        return value;
      } catch (error) {
        this.#handle.exec("ROLLBACK");
        throw error;
      }
    }, signal);
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    try {
      // The library closes the file only with the process; a journal that is left would have to be read by the next one.
      this.#handle.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      this.#handle.close();
    }
  }

  /** The oldest homes have facts without a place for an encoding. */
  #addMissingColumn(): void {
    const columns = this.all("SELECT name FROM pragma_table_info('facts')").map((row) => row["name"]);
    if (!columns.includes("hrr_vector")) this.#handle.exec("ALTER TABLE facts ADD COLUMN hrr_vector BLOB");
  }

  async #patiently<T>(work: () => T, signal: AbortSignal): Promise<T> {
    const giveUpAtMs = this.#clock.now() + patienceMs;
    for (;;) {
      signal.throwIfAborted();
      try {
        return work();
      } catch (error) {
        if (!this.#isBusy(error) || this.#clock.now() >= giveUpAtMs) throw error;
      }
      await this.#clock.sleep(10 + Math.random() * 40, signal);
    }
  }

  #statement(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= maxStatements) this.#statements.clear();
    const statement = this.#handle.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
