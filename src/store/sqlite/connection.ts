import type { Row, SqlParams } from "../database.ts";
import type { SqliteDriver, SqliteHandle, SqliteStatement } from "./driver.ts";

const mostStatements = 200;

/** One open database file: statements are prepared once and reused. Synchronous; waits for no lock. */
export class SqliteConnection implements Disposable {
  readonly #handle: SqliteHandle;
  readonly #statements = new Map<string, SqliteStatement>();
  #isOpen = true;

  constructor(driver: SqliteDriver, path: string, options: { readonly busyTimeoutMs: number }) {
    this.#handle = new driver.DatabaseSync(path, { timeout: options.busyTimeoutMs });
  }

  get isInTransaction(): boolean {
    return this.#isOpen && this.#handle.isTransaction;
  }

  exec(sql: string): void {
    this.#handle.exec(sql);
  }

  all(sql: string, params: SqlParams = []): readonly Row[] {
    return this.#statement(sql).all(...params) as readonly Row[];
  }

  get(sql: string, params: SqlParams = []): Row | undefined {
    return this.#statement(sql).get(...params) as Row | undefined;
  }

  run(sql: string, params: SqlParams = []): number {
    return Number(this.#statement(sql).run(...params).changes);
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#statements.clear();
    this.#handle.close();
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
