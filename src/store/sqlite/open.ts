import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { SqliteConnection } from "./connection.ts";
import { isDamaged, isDiskFull, type SqliteDriver } from "./driver.ts";
import { damagedStore, noSpaceLeft } from "./file-trouble.ts";
import { type LockWait, whileBusy } from "./write-lock.ts";

export const inMemory = ":memory:";

export interface OpenOptions extends LockWait {
  readonly path: string;
  readonly driver: SqliteDriver;
  readonly log: Logger;
  /** How long a statement may stop the thread for a lock: next to nothing where people are waiting. */
  readonly busyTimeoutMs: number;
}

/**
 * A connection with the settings every Hermes process uses on this file. Nothing else may open the file
 * while a connection exists: closing a second descriptor would drop the locks of this process.
 */
export async function openConnection(options: OpenOptions): Promise<SqliteConnection> {
  if (options.path !== inMemory) await createPrivately(options.path);
  try {
    const connection = new SqliteConnection(options.driver, options.path, options);
    try {
      await configure(connection, options);
      return connection;
    } catch (error) {
      connection[Symbol.dispose]();
      throw error;
    }
  } catch (error) {
    throw explained(error, options.path);
  }
}

async function configure(connection: SqliteConnection, options: OpenOptions): Promise<void> {
  // Even a setting reads the file, which is locked for a moment while the log of a killed process is taken in.
  const set = async (settings: string): Promise<void> => whileBusy(() => connection.exec(settings), options);
  await set("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000");
  if (options.path === inMemory) return;
  const mode = await whileBusy(() => connection.get("PRAGMA journal_mode = WAL"), options);
  if (mode?.journal_mode !== "wal")
    options.log.warn("the session database is on a file system without shared memory; writers will wait for readers", {
      journalMode: mode?.journal_mode,
    });
  // A kill loses nothing with NORMAL; a power cut may lose the last moments, never the file.
  // Checkpoints are made by the store itself; the automatic one is the net beneath.
  await set("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864");
}

/** The file holds conversations: readable by its owner alone, from the first moment. */
async function createPrivately(path: string): Promise<void> {
  if (existsSync(path)) return;
  await ensureDir(dirname(path), 0o700);
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}

function explained(error: unknown, path: string): unknown {
  if (isDamaged(error)) return damagedStore(path);
  if (isDiskFull(error)) return noSpaceLeft(path, error);
  return error;
}
