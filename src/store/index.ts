import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "./store.ts";

/** Remembering: sessions, messages, search, inbox, outbox, leases, jobs, usage, on SQLite or PostgreSQL. */
export { LeaseLostError } from "./errors.ts";
export { leaseOwner, takeLease } from "./held-lease.ts";
export type * from "./records/gateway.ts";
export type * from "./records/job.ts";
export type * from "./records/message.ts";
export type * from "./records/report.ts";
export type * from "./records/session.ts";
export type * from "./records/turn.ts";
export { schemaVersion } from "./schema/version.ts";
export { sanitizeQuery } from "./search/query.ts";
export type * from "./store.ts";
export { cleanTitle, maxTitleLength } from "./titles.ts";

/** Where the memories are: a file, a PostgreSQL server, or nowhere beyond this process. */
export type StorePlace = { readonly path: string } | { readonly url: string } | { readonly memory: true };

export interface StoreDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** A SQLite file of a newer version is refused unless told otherwise. */
  readonly onNewer?: "refuse" | "open";
  /** The file of the database thread's program, where it is not beside the program. */
  readonly workerFile?: string;
}

/** Opens the store; the driver is loaded here and not before. */
export async function openStore(place: StorePlace, deps: StoreDeps): Promise<Store> {
  if ("url" in place) {
    const { openPostgresStore } = await import("./postgres/store.ts");
    return await openPostgresStore(place.url, deps);
  }
  const { openMemoryStore, openSqliteStore } = await import("./sqlite/store.ts");
  if ("memory" in place) return await openMemoryStore(deps);
  const { workerFile } = deps;
  return await openSqliteStore(place.path, {
    ...deps,
    onNewer: deps.onNewer ?? "refuse",
    ...(workerFile === undefined ? {} : { workerProgram: async () => ({ kind: "file", path: workerFile }) }),
  });
}
