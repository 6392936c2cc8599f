import type { Row, SqlParams } from "../database.ts";
import { isDamaged, isNoTransaction, type SqliteDriver, type SqliteHandle, type SqliteStatement } from "./driver.ts";
import { damagedStore } from "./file-trouble.ts";

const mostStatements = 200;

/** One open database file: statements are prepared once and reused. Synchronous; waits for no lock. */
export class SqliteConnection implements Disposable {
  readonly #handle: SqliteHandle;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #path: string;
  #isOpen = true;

  constructor(driver: SqliteDriver, path: string, options: { readonly busyTimeoutMs: number }) {
    this.#path = path;
    this.#handle = new driver.DatabaseSync(path);
    // As a statement, because early versions of Node's own library know no option for it.
    this.#handle.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
  }

  /** Ends a transaction without keeping it; SQLite may have done so itself, after a full disk for example. */
  rollback(): void {
    try {
      this.#handle.exec("ROLLBACK");
    } catch (error) {
      if (!isNoTransaction(error)) throw error;
    }
  }

  exec(sql: string): void {
    this.#explained(() => this.#handle.exec(sql));
  }

  all(sql: string, params: SqlParams = []): readonly Row[] {
    return this.#explained(() => this.#statement(sql).all(...params) as readonly Row[]);
  }

  get(sql: string, params: SqlParams = []): Row | undefined {
    return this.#explained(() => this.#statement(sql).get(...params) as Row | undefined);
  }

  run(sql: string, params: SqlParams = []): number {
    return this.#explained(() => Number(this.#statement(sql).run(...params).changes));
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#statements.clear();
    this.#handle.close();
  }

  /** A damaged page is met by whichever statement reads it first. */
  #explained<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw isDamaged(error) ? damagedStore(this.#path) : error;
    }
  }

  #statement(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#handle.prepare(sql);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size >= mostStatements && oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
