import { isRecord } from "../text/json.ts";
import { loadSqliteAddon } from "./sqlite-addon.ts";

/** What a statement takes and gives. */
export type SqlValue = string | number | null | Uint8Array;

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
}

export interface SqliteDriver {
  readonly DatabaseSync: new (path: string) => SqliteHandle;
}

export async function loadSqlite(): Promise<SqliteDriver> {
  const builtin = builtinSqlite();
  if (isDriver(builtin) && hasFullText(builtin)) return builtin;
  const addon = loadSqliteAddon();
  if (isDriver(addon)) return addon;
  const bundled: unknown = await import("@photostructure/sqlite");
  if (isDriver(bundled)) return bundled;
  throw new Error("The SQLite package does not have the expected interface.");
}

/** The library of early Node 22 releases was built without full-text search. */
function hasFullText(driver: SqliteDriver): boolean {
  const database = new driver.DatabaseSync(":memory:");
  try {
    return database.prepare("SELECT 1 AS one FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined;
  } finally {
    database.close();
  }
}

/** Node 22 calls its library experimental, on every start and to everyone; we chose it, so that is not passed on. */
function builtinSqlite(): unknown {
  const { emitWarning } = process;
  const isExperimental = (type: unknown): boolean =>
    type === "ExperimentalWarning" || (isRecord(type) && type.type === "ExperimentalWarning");
  const filtered = (...args: readonly unknown[]): void => {
    if (!isExperimental(args[1])) Reflect.apply(emitWarning, process, args);
  };
  process.emitWarning = filtered as typeof emitWarning;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
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

/** What SQLite says to a ROLLBACK outside a transaction; it has no code of its own. */
export function isNoTransaction(error: unknown): boolean {
  return resultCode(error) === 1 && error instanceof Error && error.message.includes("no transaction is active");
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}
