import { readFileSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { Row, SqlValue } from "../database.ts";
import type { SalvageReport } from "../records/report.ts";
import { SqliteDatabase } from "./database.ts";
import { loadSqlite, type SqliteDriver, type SqliteHandle } from "./driver.ts";
import { migrate } from "./migrate.ts";
import { openConnection } from "./open.ts";
import { scanRows } from "./page-scan.ts";
import { performTask } from "./tasks.ts";

/** What people would miss, and what no other table resembles: a row found on a loose page is told by its columns. */
const foundOnPages: ReadonlySet<string> = new Set(["sessions", "messages"]);

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
    const tables = tablesOf(fresh).map((name) => new TableCopy(name, fresh));
    for (const table of tables) if (damaged !== undefined) table.copyFrom(damaged);
    const lost = tables.filter((table) => foundOnPages.has(table.name) && !table.isWhole);
    if (lost.length > 0) copyLoose(readFileSync(from), lost);
    return tables.reduce((sum, { count }) => sum + count, 0);
  } finally {
    closeQuietly(damaged);
    fresh.close();
  }
}

/** A file that is no database at all has nothing to give. */
function openDamaged(open: () => SqliteHandle): SqliteHandle | undefined {
  return attempt(() => {
    const handle = open();
    // It is a copy: what the log still holds goes into the file, where pages can be read directly too.
    attempt(() => handle.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
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

interface Column {
  readonly name: string;
  readonly type: string;
  /** Its value is the number of the row; the record itself holds nothing for it. */
  readonly isRowid: boolean;
}

function columnsOf(handle: SqliteHandle, table: string): readonly Column[] {
  const rows = attempt(() => handle.prepare(`SELECT name, type, pk FROM pragma_table_info('${table}')`).all()) ?? [];
  return rows.flatMap((row) => {
    const { name, type: written, pk } = isRecord(row) ? row : {};
    const type = String(written).toUpperCase();
    return typeof name === "string" ? [{ name, type, isRowid: pk === 1 && type === "INTEGER" }] : [];
  });
}

/** One table on its way into the new file. */
class TableCopy {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly #fresh: SqliteHandle;
  count = 0;
  /** Whether the old table could be read to its end. */
  isWhole = false;

  constructor(name: string, fresh: SqliteHandle) {
    this.name = name;
    this.columns = columnsOf(fresh, name);
    this.#fresh = fresh;
  }

  copyFrom(damaged: SqliteHandle): void {
    const known = new Set(columnsOf(damaged, this.name).map(({ name }) => name));
    const columns = this.columns.filter(({ name }) => known.has(name));
    if (columns.length === 0) return;
    const list = columns.map(({ name }) => `"${name}"`).join(", ");
    this.insert(
      columns,
      map(rowsOf(damaged, this.name, list), (row) => columns.map(({ name }) => row[name] ?? null)),
    );
    const all = attempt(() => damaged.prepare(`SELECT count(*) AS rows FROM "${this.name}" NOT INDEXED`).get());
    this.isWhole = isRecord(all) && all["rows"] === this.count;
  }

  insert(columns: readonly Column[], rows: Iterable<readonly SqlValue[]>): void {
    const names = columns.map(({ name }) => `"${name}"`).join(", ");
    const marks = columns.map(() => "?").join(", ");
    const insert = this.#fresh.prepare(`INSERT OR IGNORE INTO "${this.name}" (${names}) VALUES (${marks})`);
    this.#fresh.exec("BEGIN");
    for (const values of rows) {
      if (!columns.every(({ type }, index) => isOfType(values[index], type))) continue;
      this.count += Number(attempt(() => insert.run(...values))?.changes ?? 0);
    }
    this.#fresh.exec("COMMIT");
  }
}

function* map<T, R>(values: Iterable<T>, turn: (value: T) => R): Generator<R> {
  for (const value of values) yield turn(value);
}

/** Rows whose table cannot be reached any more, from the pages they stand on. */
function copyLoose(file: Buffer, tables: readonly TableCopy[]): void {
  for (const table of tables) {
    const { columns } = table;
    const rows = map(scanRows(file), ({ rowid, values }) =>
      values.length === columns.length
        ? columns.map(({ isRowid }, index) => (isRowid ? rowid : (values[index] ?? null)))
        : undefined,
    );
    table.insert(columns, present(rows));
  }
}

function* present<T>(values: Iterable<T | undefined>): Generator<T> {
  for (const value of values) if (value !== undefined) yield value;
}

/** A damaged page can hold a text where a number belongs; readers of the store rely on the types. */
function isOfType(value: unknown, type: string): boolean {
  if (value === null) return true;
  if (type === "TEXT") return typeof value === "string";
  if (type === "INTEGER" || type === "REAL") return typeof value === "number" || typeof value === "bigint";
  return true;
}

const batch = 100;
const furthestJump = 2 ** 40;

/**
 * Every row that can be reached: upwards, over a damaged place with growing jumps, and back down to its other edge.
 * Damaged pages can lead a search to rows outside the range it asked for; such an answer counts as unreadable, so that
 * each step leads further and the whole ends.
 */
function* rowsOf(handle: SqliteHandle, table: string, list: string): Generator<Row> {
  const select = (where: string, order: string) =>
    `SELECT rowid AS salvage_rowid, ${list} FROM "${table}" WHERE ${where} ORDER BY rowid ${order} LIMIT ?`;
  const above = (id: number, limit: number): readonly Row[] | undefined => {
    const rows = attempt(() => handle.prepare(select("rowid > ?", "ASC")).all(id, limit) as Row[]);
    return rows !== undefined && isAscending(id, rows) ? rows : undefined;
  };
  const below = (id: number, floor: number): Row | undefined => {
    const sql = select("rowid < ? AND rowid > ?", "DESC");
    const [row] = attempt(() => handle.prepare(sql).all(id, floor, 1) as Row[]) ?? [];
    const found = idOf(row);
    return found !== undefined && found < id && found > floor ? row : undefined;
  };
  let last = -1;
  for (;;) {
    const rows = above(last, batch) ?? above(last, 1);
    if (rows?.length === 0) return;
    if (rows !== undefined) {
      yield* rows;
      last = idOf(rows.at(-1)) ?? last + 1;
      continue;
    }
    const beyond = firstBeyond(last, (from) => above(from, 1));
    if (beyond === undefined) return;
    let id = beyond + 1;
    for (let row = below(id, last); row !== undefined; row = below(id, last)) {
      yield row;
      id = idOf(row) ?? last;
    }
    last = beyond;
  }
}

function isAscending(from: number, rows: readonly Row[]): boolean {
  let last = from;
  return rows.every((row) => {
    const id = idOf(row);
    const isNext = id !== undefined && id > last;
    last = id ?? last;
    return isNext;
  });
}

/** The first row behind a damaged place that can be read, as far as jumps find one. */
function firstBeyond(last: number, above: (from: number) => readonly Row[] | undefined): number | undefined {
  for (let jump = 1; jump <= furthestJump; jump *= 2) {
    const rows = above(last + jump);
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
