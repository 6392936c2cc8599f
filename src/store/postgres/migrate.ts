import { describe, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Database } from "../database.ts";
import { number } from "../row.ts";
import { schemaVersion } from "../schema/version.ts";
import { postgresTables, trigramIndex } from "./schema.ts";

/** Any number, the same in every process: one of them makes the tables while the others wait. */
const migrationLock = 4_705_120_311;

/** Makes the tables where they are missing; refuses a database of a newer program. */
export async function migratePostgres(db: Database, log: Logger): Promise<void> {
  const isNew = await db.transaction(async (tx) => {
    await tx.run(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await tx.run("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)");
    const row = await tx.get("SELECT max(version) AS version FROM schema_version");
    const version = row === undefined ? 0 : number(row, "version");
    if (version > schemaVersion)
      throw new UserError(`The database has version ${version}; this program knows versions up to ${schemaVersion}.`, {
        hint: "Update Hermes.",
        code: "store_too_new",
      });
    if (version === schemaVersion) return false;
    for (const statement of postgresTables) await tx.run(statement);
    await tx.run("DELETE FROM schema_version");
    await tx.run("INSERT INTO schema_version (version) VALUES (?)", [schemaVersion]);
    return true;
  });
  if (isNew) await addTrigrams(db, log);
}

async function addTrigrams(db: Database, log: Logger): Promise<void> {
  try {
    for (const statement of trigramIndex) await db.run(statement);
  } catch (error) {
    log.info("searching for parts of words reads every message: pg_trgm is not available", { cause: describe(error) });
  }
}
