import { describe, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { WorkerProgram } from "#foundation/process/worker-program";
import type { Clock } from "#foundation/time/clock";
import { buildAggregates, runTransaction } from "../aggregates.ts";
import type { RepositoryContext } from "../repositories/context.ts";
import { schemaVersion } from "../schema/version.ts";
import type { Sealer } from "../sealer.ts";
import { LocalSignals } from "../signals.ts";
import type { Store } from "../store.ts";
import { unindexedCount } from "../work/gram-index.ts";
import { InlineWork } from "../work/inline-work.ts";
import type { SqliteConnection } from "./connection.ts";
import { SqliteDatabase } from "./database.ts";
import { loadSqlite, type SqliteDriver } from "./driver.ts";
import { Housekeeping } from "./housekeeping.ts";
import { SqliteMaintenance } from "./maintenance.ts";
import { migrate, schemaState } from "./migrate.ts";
import { OffloadedWork } from "./offloaded-work.ts";
import { inMemory, openConnection } from "./open.ts";
import { performTask } from "./tasks.ts";
import { findWorkerProgram } from "./worker-location.ts";
import { WorkerThread } from "./worker-thread.ts";
import { whileBusy } from "./write-lock.ts";

export interface SqliteStoreOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** What to do with a file that a newer program has written: refuse it, or use it as it is. */
  readonly onNewer: "refuse" | "open";
  /** Where the program of the database thread is; found by itself when absent. */
  readonly workerProgram?: () => Promise<WorkerProgram | undefined>;
  readonly sealer?: Sealer | undefined;
  /** Another SQLite library than the usual one. */
  readonly driver?: SqliteDriver;
}

/** Statements here may stop the thread for this long and no longer; everything beyond is waited for in turns. */
const busyTimeoutMs = 2;

export async function openSqliteStore(path: string, options: SqliteStoreOptions): Promise<Store> {
  const driver = options.driver ?? (await loadSqlite());
  const wait = { clock: options.clock, signal: never };
  const connection = await openConnection({ ...options, ...wait, path, driver, busyTimeoutMs });
  const closing = new AbortController();
  let housekeeping: Housekeeping | undefined;
  const db = new SqliteDatabase(connection, { ...wait, onCommit: () => housekeeping?.onCommit() });
  const thread = new WorkerThread({ path, program: options.workerProgram ?? findWorkerProgram, log: options.log });
  const work = new OffloadedWork({ ...options, db, path, thread, knownWords: new Set(), signal: closing.signal });
  try {
    await prepareSchema(connection, { ...options, path, upgrade: () => work.task("upgrade", {}) });
  } catch (error) {
    await thread[Symbol.asyncDispose]();
    connection[Symbol.dispose]();
    throw error;
  }
  housekeeping = new Housekeeping({ ...options, work, signal: closing.signal, backlog: () => unindexedCount(db) });
  const keeper = housekeeping;
  const signals = new LocalSignals();
  const context: RepositoryContext = {
    db,
    hints: signals,
    heavy: work,
    clock: options.clock,
    log: options.log,
    sealer: options.sealer,
    onAppended: (count) => keeper.onAppended(count),
    onSearched: () => keeper.onSearched(),
  };
  const aggregates = buildAggregates(context);
  return {
    kind: "sqlite",
    ...aggregates,
    signals,
    maintenance: new SqliteMaintenance({ ...options, tasks: work, aggregates }),
    transaction: (fn, transactionOptions) => runTransaction(context, fn, transactionOptions),
    [Symbol.asyncDispose]: once(async () => {
      closing.abort();
      signals[Symbol.dispose]();
      await keeper[Symbol.asyncDispose]();
      await thread[Symbol.asyncDispose]();
      await lastCheckpoint(db, options.log);
      connection[Symbol.dispose]();
    }),
  };
}

/** The same in memory: nothing is kept, and everything runs where it is asked for. */
export async function openMemoryStore(
  options: Pick<SqliteStoreOptions, "clock" | "log" | "driver" | "sealer">,
): Promise<Store> {
  const driver = options.driver ?? (await loadSqlite());
  const wait = { clock: options.clock, signal: never };
  const connection = await openConnection({ ...options, ...wait, path: inMemory, driver, busyTimeoutMs });
  await migrate(connection, { ...options, ...wait, path: inMemory });
  const db = new SqliteDatabase(connection, wait);
  const heavy = new InlineWork({ ...options, db });
  const knownWords = new Set<string>();
  const signals = new LocalSignals();
  const context: RepositoryContext = { ...options, db, heavy, hints: signals };
  const aggregates = buildAggregates(context);
  return {
    kind: "memory",
    ...aggregates,
    signals,
    maintenance: new SqliteMaintenance({
      ...options,
      aggregates,
      tasks: {
        task: (name, input, signal = never) =>
          performTask({ ...options, db, path: inMemory, knownWords, signal }, name, input),
      },
    }),
    transaction: (fn, transactionOptions) => runTransaction(context, fn, transactionOptions),
    [Symbol.asyncDispose]: once(async () => {
      signals[Symbol.dispose]();
      connection[Symbol.dispose]();
    }),
  };
}

interface PrepareOptions extends SqliteStoreOptions {
  readonly path: string;
  upgrade(): Promise<void>;
}

async function prepareSchema(connection: SqliteConnection, options: PrepareOptions): Promise<void> {
  const wait = { clock: options.clock, signal: never };
  const state = await whileBusy(() => schemaState(connection), wait);
  switch (state.kind) {
    case "current":
      return;
    case "empty":
      await migrate(connection, { ...wait, path: options.path, log: options.log });
      return;
    case "old":
      // Copying and indexing a large file takes a while; the thread that draws is not the one to do it.
      await options.upgrade();
      return;
    case "newer":
      if (options.onNewer === "refuse")
        throw new UserError(
          `The session database ${options.path} has version ${state.version}; this program knows versions up to ${schemaVersion}.`,
          { hint: "Update Hermes, or start it with another home.", code: "store_too_new" },
        );
      options.log.warn("the session database was written by a newer program; using it as it is", {
        version: state.version,
      });
  }
}

/**
 * Moves what was written into the database file and empties the journal, unless somebody else is reading: the next one
 * to open the database would have to read the whole journal. The library closes a file only when the process takes
 * itself apart, so this is not left to it.
 */
async function lastCheckpoint(db: SqliteDatabase, log: Logger): Promise<void> {
  try {
    await db.exclusive((connection) => {
      // Whoever is reading will see to it; nobody waits for them now.
      connection.exec("PRAGMA busy_timeout = 0");
      connection.all("PRAGMA wal_checkpoint(TRUNCATE)");
    });
  } catch (error) {
    log.debug("no checkpoint at closing", { cause: describe(error) });
  }
}

/** Disposal happens once; whoever asks again waits for the first. */
function once(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= act();
    return running;
  };
}
