import { rename, rm } from "node:fs/promises";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { number } from "../row.ts";
import { schemaVersion } from "../schema/version.ts";
import type { SqliteConnection } from "./connection.ts";
import { isDiskFull } from "./driver.ts";
import { noSpaceLeft } from "./file-trouble.ts";
import { hasTable, migrations } from "./migrations.ts";
import { beginImmediate, type LockWait, whileBusy } from "./write-lock.ts";

export type SchemaState =
  | { readonly kind: "empty" }
  | { readonly kind: "current" }
  | { readonly kind: "old"; readonly version: number }
  | { readonly kind: "newer"; readonly version: number };

export function schemaState(connection: SqliteConnection): SchemaState {
  if (!hasTable(connection, "schema_version"))
    return hasTable(connection, "sessions") ? { kind: "old", version: 0 } : { kind: "empty" };
  const row = connection.get("SELECT max(version) AS version FROM schema_version");
  const version = row === undefined ? 0 : number(row, "version");
  if (version === schemaVersion) return { kind: "current" };
  return version > schemaVersion ? { kind: "newer", version } : { kind: "old", version };
}

export interface MigrateOptions extends LockWait {
  readonly path: string;
  readonly log: Logger;
}

/** Brings the file to the current version; a file with data is copied beside itself first. */
export async function migrate(connection: SqliteConnection, options: MigrateOptions): Promise<void> {
  const state = await whileBusy(() => schemaState(connection), options);
  if (state.kind === "current" || state.kind === "newer") return;
  if (state.kind === "old") {
    const backup = await backUp(connection, options.path, state.version);
    options.log.info("upgrading the session database", { from: state.version, to: schemaVersion, backup });
  }
  for (const migration of migrations) {
    options.signal.throwIfAborted();
    await beginImmediate(connection, options);
    try {
      // Read again under the lock: another process may have gone ahead meanwhile.
      if (currentVersion(connection) < migration.version) {
        migration.apply(connection);
        setVersion(connection, migration.version);
      }
      connection.exec("COMMIT");
    } catch (error) {
      connection.rollback();
      throw isDiskFull(error) ? noSpaceLeft(options.path, error) : upgradeFailed(options.path, migration.name, error);
    }
  }
}

/** Where the copy from before an upgrade is kept. */
export function backupPath(path: string, version: number): string {
  return `${path}.v${version}.bak`;
}

/** Written under another name and moved when complete, so that a copy with the final name is whole. */
async function backUp(connection: SqliteConnection, path: string, version: number): Promise<string> {
  const target = backupPath(path, version);
  const unfinished = `${target}.${process.pid}.tmp`;
  await rm(unfinished, { force: true });
  try {
    connection.run("VACUUM INTO ?", [unfinished]);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new UserError(`The session database ${path} needs an upgrade, and its backup could not be written.`, {
      hint: "Free some disk space beside it and start again.",
      code: "store_backup_failed",
      cause: error,
    });
  }
  return target;
}

function currentVersion(connection: SqliteConnection): number {
  connection.exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)");
  const row = connection.get("SELECT max(version) AS version FROM schema_version");
  return row === undefined ? 0 : number(row, "version");
}

function setVersion(connection: SqliteConnection, version: number): void {
  connection.exec("DELETE FROM schema_version");
  connection.run("INSERT INTO schema_version (version) VALUES (?)", [version]);
}

function upgradeFailed(path: string, step: string, cause: unknown): UserError {
  return new UserError(`The upgrade of ${path} stopped at the step "${step}".`, {
    hint: "Nothing was lost: finished steps are kept, and the copy from before is beside the file. Start again to go on.",
    code: "store_upgrade_failed",
    cause,
  });
}
