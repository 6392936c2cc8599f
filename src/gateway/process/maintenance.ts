import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import { whileAlone } from "../rights/sole-right.ts";

export interface MaintenanceDeps {
  readonly store: Store;
  /** Names this process in leases. */
  readonly owner: string;
  /** Folders of files that came with messages. */
  readonly mediaFolders: readonly string[];
  /** Ends conversations that have rested long enough. */
  expire(): Promise<void>;
  /** How long a silent chat is remembered; zero: for ever. */
  readonly chatsLiveMs: number;
  /** Another process took over what the processes on a store do once. */
  onLost?(name: string): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const everyMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const mediaLivesMs = dayMs;
const mostMediaBytes = 5 * 1024 ** 3;

interface Task {
  readonly name: string;
  /** True: it concerns this machine's own files, and every process does it. */
  readonly isLocal?: true;
  readonly everyMs: number;
  run(deps: MaintenanceDeps): Promise<unknown>;
}

const tasks: readonly Task[] = [
  {
    name: "forgetting what was answered and delivered",
    everyMs: hourMs,
    async run({ store, clock }) {
      const nowMs = clock.now();
      const kept = { doneMs: nowMs - 7 * dayMs, deadMs: nowMs - 30 * dayMs };
      await store.inbox.prune(kept);
      await store.outbox.prune(kept);
      await store.gatewayTurns.prune(nowMs - 30 * dayMs);
    },
  },
  {
    name: "forgetting chats that have long been silent",
    everyMs: hourMs,
    async run({ store, clock, chatsLiveMs }) {
      if (chatsLiveMs > 0) await store.routes.prune(clock.now() - chatsLiveMs);
    },
  },
  { name: "ending conversations that rested", everyMs: 5 * everyMs, run: ({ expire }) => expire() },
  {
    name: "saying what was given up",
    everyMs: 10 * everyMs,
    async run({ store, logger }) {
      const { dead } = await store.inbox.counts();
      if (dead > 0) logger.warn("messages were given up; see: hermes gateway queue", { dead });
    },
  },
  { name: "forgetting files of messages", everyMs: hourMs, isLocal: true, run: pruneMedia },
];

/**
 * What has to be done now and then, one thing independent of the other, until the signal. What concerns the store is done
 * by one process, however many there are; another takes over when that one is gone.
 */
export async function maintain(deps: MaintenanceDeps, signal: AbortSignal): Promise<void> {
  const local = tasks.filter(({ isLocal }) => isLocal === true);
  const shared = tasks.filter(({ isLocal }) => isLocal !== true);
  await Promise.all([
    repeat(local, deps, signal),
    whileAlone("maintenance", { deps, signal }, (alone) => repeat(shared, deps, alone)),
  ]);
}

async function repeat(tasks: readonly Task[], deps: MaintenanceDeps, signal: AbortSignal): Promise<void> {
  const { clock, logger } = deps;
  const lastMs = new Map<Task, number>();
  while (!signal.aborted) {
    await clock.sleep(everyMs * (0.9 + Math.random() * 0.2), signal).catch(() => undefined);
    for (const task of tasks) {
      // After a jump of the clock everything is due once, not as often as it was missed.
      if (signal.aborted || clock.now() - (lastMs.get(task) ?? 0) < task.everyMs) continue;
      lastMs.set(task, clock.now());
      await quietly(task.name, () => task.run(deps), { logger, level: "error" });
    }
  }
}

async function pruneMedia({ mediaFolders, clock }: Pick<MaintenanceDeps, "mediaFolders" | "clock">): Promise<void> {
  const files: { readonly file: string; readonly atMs: number; readonly bytes: number }[] = [];
  for (const folder of mediaFolders)
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isFile() || !/^(?:img|audio|video|doc)_[0-9a-f]{12}/u.test(entry.name)) continue;
      const file = path.join(folder, entry.name);
      const { mtimeMs, size } = await stat(file);
      files.push({ file, atMs: mtimeMs, bytes: size });
    }
  files.sort((left, right) => right.atMs - left.atMs);
  let bytes = 0;
  for (const one of files) {
    bytes += one.bytes;
    if (clock.now() - one.atMs > mediaLivesMs || bytes > mostMediaBytes) await rm(one.file, { force: true });
  }
}
