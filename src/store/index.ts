import { existsSync } from "node:fs";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isDamaged } from "#foundation/files/sqlite";
import type { Clock } from "#foundation/time/clock";
import type { SealingSettings } from "./open-sealer.ts";
import type { SalvageReport } from "./records/report.ts";
import type { Sealer } from "./sealer.ts";
import type { Store } from "./store.ts";

/** Remembering: sessions, messages, search, inbox, outbox, leases, jobs, usage, on SQLite or PostgreSQL. */
export { LeaseLostError } from "./errors.ts";
export { isLeft, type LeaseDeps, leaseHolder, leaseOwner, takeLease } from "./held-lease.ts";
export type { SealingSettings } from "./open-sealer.ts";
export type {
  Backlog,
  Cursor,
  Fence,
  GatewayTurn,
  InboxEntry,
  InboxKind,
  NewOutboxEntry,
  OutboxEntry,
  Route,
} from "./records/gateway.ts";
export { openSessionLease } from "./records/gateway.ts";
export type { JobRecord, JobRun } from "./records/job.ts";
export type { SearchHit, StoredMessage } from "./records/message.ts";
export type { Insights } from "./records/report.ts";
export type { ExportedSession, NewSession, SessionRecord, SessionSummary, TitleOutcome } from "./records/session.ts";
export type { UsageChange } from "./records/turn.ts";
export type { Serving } from "./signals.ts";
export type { Aggregates, Store } from "./store.ts";
export { cleanTitle, maxTitleLength } from "./titles.ts";

/** Where the memories are: a file, a PostgreSQL server, or nowhere beyond this process. */
export type StoreLocation = { readonly path: string } | { readonly url: string } | { readonly memory: true };

interface StoreDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** A SQLite file of a newer version is refused unless told otherwise. */
  readonly onNewer?: "refuse" | "open";
  /** The file of the database thread's program, where it is not beside the program. */
  readonly workerFile?: string;
  /** Encrypts what waits to be answered and to be sent. */
  readonly sealer?: Sealer | undefined;
}

/** What encrypts the messages that wait, where the settings ask for it or asked for it before. */
export async function openSealer(settings: SealingSettings): Promise<Sealer | undefined> {
  const { isOn, keyFile, usualKeyFile } = settings;
  if (!isOn && keyFile === undefined && !existsSync(usualKeyFile)) return undefined;
  const { makeSealer } = await import("./open-sealer.ts");
  return await makeSealer(settings);
}

/** Opens the store; the driver is loaded here and not before. */
export async function openStore(location: StoreLocation, deps: StoreDeps): Promise<Store> {
  if ("url" in location) {
    const { openPostgresStore } = await import("./postgres/store.ts");
    return await openPostgresStore(location.url, deps);
  }
  const { openMemoryStore, openSqliteStore } = await import("./sqlite/store.ts");
  if ("memory" in location) return await openMemoryStore(deps);
  const { workerFile } = deps;
  return await openSqliteStore(location.path, {
    ...deps,
    onNewer: deps.onNewer ?? "refuse",
    ...(workerFile === undefined ? {} : { workerProgram: async () => ({ kind: "file", path: workerFile }) }),
  });
}

/** Rebuilds a damaged SQLite file from every row that can be read; the old one is kept. Nobody may have it open. */
export async function salvageStore(path: string, deps: Pick<StoreDeps, "clock" | "log">): Promise<SalvageReport> {
  const { salvageSqlite } = await import("./sqlite/salvage.ts");
  return await salvageSqlite(path, deps);
}

/** Whether an error says that the file itself is damaged; one from the database thread has lost its code. */
export function isStoreDamaged(error: unknown): boolean {
  if (isDamaged(error) || (error instanceof UserError && error.code === "store_damaged")) return true;
  return error instanceof Error && /database disk image is malformed|file is not a database/.test(error.message);
}
