import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteConnection } from "../connection.ts";
import { loadSqlite } from "../driver.ts";

/** A temporary folder with a database file in it, for tests. */
export interface Location extends AsyncDisposable {
  readonly folder: string;
  readonly path: string;
  /** A bare connection beside the store, as another process would have it. */
  connect(): Promise<SqliteConnection>;
}

export async function makeLocation(): Promise<Location> {
  const folder = await mkdtemp(join(tmpdir(), "hermes-store-"));
  const path = join(folder, "state.db");
  return {
    folder,
    path,
    connect: async () => new SqliteConnection(await loadSqlite(), path, { busyTimeoutMs: 0 }),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}
