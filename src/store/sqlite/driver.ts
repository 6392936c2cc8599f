import type { SqlValue } from "../database.ts";

/**
 * The SQLite library, as far as it is used here: Node's own where it has one, the same interface from
 * a package on Node 20. Loaded when a database is opened and not before.
 */
export interface SqliteStatement {
  all(...params: SqlValue[]): unknown[];
  get(...params: SqlValue[]): unknown;
  run(...params: SqlValue[]): { readonly changes: number | bigint };
}

export interface SqliteHandle {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
  readonly isTransaction: boolean;
}

export interface SqliteDriver {
  readonly DatabaseSync: new (path: string, options?: { readonly timeout?: number }) => SqliteHandle;
}

export async function loadSqlite(): Promise<SqliteDriver> {
  const builtin: unknown = process.getBuiltinModule("node:sqlite");
  if (isDriver(builtin)) return builtin;
  const bundled: unknown = await import("@photostructure/sqlite");
  if (isDriver(bundled)) return bundled;
  throw new Error("The SQLite package does not have the expected interface.");
}

function isDriver(module: unknown): module is SqliteDriver {
  return (
    typeof module === "object" &&
    module !== null &&
    "DatabaseSync" in module &&
    typeof module.DatabaseSync === "function"
  );
}

/** SQLITE_BUSY and SQLITE_LOCKED, with all their extended forms. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === 5 || code === 6;
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
export function isDamaged(error: unknown): boolean {
  const code = resultCode(error);
  return code === 11 || code === 26;
}

/** SQLITE_FULL: no space left. */
export function isDiskFull(error: unknown): boolean {
  return resultCode(error) === 13;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}
