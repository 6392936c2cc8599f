import { copyFile, rename, rm } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { SalvageReport } from "../records/report.ts";
import { SqliteDatabase } from "./database.ts";
import { loadSqlite, type SqliteDriver, type SqliteHandle } from "./driver.ts";
import { migrate } from "./migrate.ts";
import { openConnection } from "./open.ts";
import { performTask } from "./tasks.ts";

type SqlValue = string | number | null | Uint8Array;
type Row = Readonly<Record<string, SqlValue>>;

/**
 * Rebuilds a damaged file. Invariants:
 *
 * 1. The old file is only read, from a copy, and kept beside the new one under a name of its own.
 * 2. The new one takes its place only when it is complete.
 * 3. A row that cannot be read costs that row, and whatever stands on its page, and nothing else.
 */
export async function salvageSqlite(
  path: string,
  deps: { readonly clock: Clock; readonly log: Logger },
): Promise<SalvageReport> {
  const from = `${path}.salvage-from`;
  const to = `${path}.salvage-to`;
  await removeAll(from, to);
  try {
    for (const part of ["", "-wal"]) await copyIfThere(`${path}${part}`, `${from}${part}`);
    const { rows, messages } = await rebuild(from, to, deps);
    const setAside = `${path}.damaged-${stamp(deps.clock.now())}`;
    for (const part of ["", "-wal", "-shm"]) await renameIfThere(`${path}${part}`, `${setAside}${part}`);
    for (const part of ["", "-wal", "-shm"]) await renameIfThere(`${to}${part}`, `${path}${part}`);
    return { setAside, rows, messages };
  } finally {
    await removeAll(from, to);
  }
}

/** A new file with the tables of today, every row that can be read, and indexes and counters that fit them. */
async function rebuild(
  from: string,
  to: string,
  deps: { readonly clock: Clock; readonly log: Logger },
): Promise<{ readonly rows: number; readonly messages: number }> {
  const driver = await loadSqlite();
  const wait = { clock: deps.clock, signal: never };
  using connection = await openConnection({ ...deps, ...wait, path: to, driver, busyTimeoutMs: 1_000 });
  await migrate(connection, { ...wait, path: to, log: deps.log });
  const rows = copyTables(from, { driver, fresh: new driver.DatabaseSync(to) });
  const db = new SqliteDatabase(connection, wait);
  const context = { ...deps, db, path: to, knownWords: new Set<string>(), signal: never };
  const { messagesAfter: messages } = await performTask(context, "fsck", { repair: true });
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return { rows, messages };
}

function copyTables(
  from: string,
  { driver, fresh }: { readonly driver: SqliteDriver; readonly fresh: SqliteHandle },
): number {
  let damaged: SqliteHandle | undefined;
  try {
    fresh.exec("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF");
    damaged = openDamaged(() => new driver.DatabaseSync(from));
    if (damaged === undefined) return 0;
    let rows = 0;
    for (const table of tablesOf(fresh)) rows += copyTable(table, damaged, fresh);
    return rows;
  } finally {
    closeQuietly(damaged);
    fresh.close();
  }
}

/** A file that is no database at all has nothing to give. */
function openDamaged(open: () => SqliteHandle): SqliteHandle | undefined {
  return attempt(() => {
    const handle = open();
    handle.exec("PRAGMA query_only = ON; PRAGMA cell_size_check = OFF");
    return handle;
  });
}

/** Tables with rows of their own: those of an index are built anew from the messages. */
function tablesOf(fresh: SqliteHandle): readonly string[] {
  const rows = fresh
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  const names = rows.flatMap((row) => (isRecord(row) && typeof row["name"] === "string" ? [row["name"]] : []));
  return names.filter((name) => name !== "schema_version" && !/^(?:messages_grams|search_words)/.test(name));
}

function columnsOf(handle: SqliteHandle, table: string): readonly string[] {
  const rows = attempt(() => handle.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()) ?? [];
  return rows.flatMap((row) => (isRecord(row) && typeof row["name"] === "string" ? [row["name"]] : []));
}

function copyTable(table: string, damaged: SqliteHandle, fresh: SqliteHandle): number {
  const known = new Set(columnsOf(damaged, table));
  const columns = columnsOf(fresh, table).filter((name) => known.has(name));
  if (columns.length === 0) return 0;
  const list = columns.map((name) => `"${name}"`).join(", ");
  const insert = fresh.prepare(
    `INSERT OR IGNORE INTO "${table}" (${list}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  let count = 0;
  fresh.exec("BEGIN");
  for (const row of rowsOf(damaged, table, list)) {
    const values = columns.map((name) => row[name] ?? null);
    if (attempt(() => insert.run(...values)) !== undefined) count += 1;
  }
  fresh.exec("COMMIT");
  return count;
}

const batch = 100;
const furthestJump = 2 ** 40;

/** Every row that can be reached: upwards, over a damaged place with growing jumps, and back down to its other edge. */
function* rowsOf(handle: SqliteHandle, table: string, list: string): Generator<Row> {
  const select = (where: string, order: string, limit: number) =>
    `SELECT rowid AS salvage_rowid, ${list} FROM "${table}" WHERE ${where} ORDER BY rowid ${order} LIMIT ${limit}`;
  const read = (sql: string, ...params: number[]): readonly Row[] | undefined =>
    attempt(() => handle.prepare(sql).all(...params) as Row[]);
  let last = -1;
  for (;;) {
    const rows = read(select("rowid > ?", "ASC", batch), last) ?? read(select("rowid > ?", "ASC", 1), last);
    if (rows?.length === 0) return;
    if (rows !== undefined) {
      yield* rows;
      last = idOf(rows.at(-1)) ?? last + 1;
      continue;
    }
    const beyond = firstBeyond(last, (from) => read(select("rowid > ?", "ASC", 1), from));
    if (beyond === undefined) return;
    for (let below = beyond + 1; ; ) {
      const [row] = read(select("rowid < ? AND rowid > ?", "DESC", 1), below, last) ?? [];
      const id = idOf(row);
      if (row === undefined || id === undefined) break;
      yield row;
      below = id;
    }
    last = beyond;
  }
}

/** The first row behind a damaged place that can be read, as far as jumps find one. */
function firstBeyond(last: number, read: (from: number) => readonly Row[] | undefined): number | undefined {
  for (let jump = 1; jump <= furthestJump; jump *= 2) {
    const rows = read(last + jump);
    if (rows !== undefined) return idOf(rows[0]);
  }
  return undefined;
}

function idOf(row: Row | undefined): number | undefined {
  const id = row?.["salvage_rowid"];
  return typeof id === "number" ? id : undefined;
}

/** Damage shows as an error of whatever kind; what cannot be done is left out, and that is the point here. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function closeQuietly(handle: SqliteHandle | undefined): void {
  attempt(() => handle?.close());
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch(unlessMissing);
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch(unlessMissing);
}

function unlessMissing(error: unknown): void {
  if (systemErrorCode(error) !== "ENOENT") throw error;
}

async function removeAll(...paths: readonly string[]): Promise<void> {
  for (const path of paths) for (const part of ["", "-wal", "-shm"]) await rm(`${path}${part}`, { force: true });
}

function stamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[-:]/g, "").replace(/\..*$/, "").replace("T", "-");
}
