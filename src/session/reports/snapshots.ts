import { chmod, copyFile, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";
import { ensureDir, safeJoin } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";

export interface SnapshotInfo {
  readonly id: string;
  readonly takenAtMs: number;
  readonly files: number;
}

/** What going back to a snapshot came to. */
export interface Restored {
  /** Files that are as they were, by their names in the home. */
  readonly restored: readonly string[];
  /** Files that were not there then; they are left alone. */
  readonly newer: readonly string[];
  /** The snapshot of what was there before. */
  readonly before: string;
  /** The copy of the conversations, which is not put back while they are in use. */
  readonly database?: { readonly copy: string; readonly location: string };
}

const databaseName = "state.db";

/** Copies of what a person would miss: settings, keys, notes, jobs, and the sessions. Readable by their owner only. */
export class Snapshots {
  readonly #home: HermesHome;
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(home: HermesHome, deps: { readonly store: Store; readonly clock: Clock }) {
    this.#home = home;
    this.#store = deps.store;
    this.#clock = deps.clock;
  }

  /** Newest first. */
  async list(): Promise<readonly SnapshotInfo[]> {
    const ids = await foldersIn(this.#home.stateSnapshots);
    const infos = await Promise.all(
      ids.map(async (id) => {
        const folder = this.#folder(id);
        return { id, takenAtMs: (await stat(folder)).mtimeMs, files: (await filesBelow(folder)).length };
      }),
    );
    return infos.sort((left, right) => (left.id < right.id ? 1 : -1));
  }

  async create(label: string, signal: AbortSignal): Promise<string> {
    const id = await this.#freeId(label);
    const folder = this.#folder(id);
    await ensureDir(folder, 0o700);
    for (const file of await this.#sources()) {
      signal.throwIfAborted();
      await copyPrivate(file, join(folder, relative(this.#home.root, file)));
    }
    if (this.#store.kind === "sqlite") {
      await this.#store.maintenance.backup(join(folder, databaseName), signal);
      await chmod(join(folder, databaseName), 0o600);
    }
    return id;
  }

  /** Puts the files back, except the database, which is in use. What was there is kept in another snapshot. */
  async restore(idOrBeginning: string, signal: AbortSignal): Promise<Restored> {
    const id = await this.#resolve(idOrBeginning);
    const folder = this.#folder(id);
    const before = await this.create("before-restore", signal);
    const restored: string[] = [];
    let database: string | undefined;
    for (const file of await filesBelow(folder)) {
      const name = relative(folder, file);
      if (name === databaseName) {
        database = file;
        continue;
      }
      await copyPrivate(file, safeJoin(this.#home.root, name));
      restored.push(name);
    }
    const kept = new Set(restored);
    const newer = (await this.#sources()).map((file) => relative(this.#home.root, file));
    return {
      restored: restored.sort(),
      before,
      newer: newer.filter((name) => !kept.has(name)),
      ...(database === undefined ? {} : { database: { copy: database, location: this.#home.stateDb } }),
    };
  }

  /** Removes all but the newest; how many went. */
  async prune(keep: number): Promise<number> {
    const gone = (await this.list()).slice(keep);
    for (const { id } of gone) await rm(this.#folder(id), { recursive: true, force: true });
    return gone.length;
  }

  async #sources(): Promise<readonly string[]> {
    const { config, envFile, authFile, soul, cronJobs, memories } = this.#home;
    const notes = await filesBelow(memories);
    const found: string[] = [];
    for (const file of [config, envFile, authFile, soul, cronJobs, ...notes]) if (await isFile(file)) found.push(file);
    return found;
  }

  async #resolve(idOrBeginning: string): Promise<string> {
    const ids = await foldersIn(this.#home.stateSnapshots);
    const matches = ids.includes(idOrBeginning) ? [idOrBeginning] : ids.filter((id) => id.startsWith(idOrBeginning));
    const [only] = matches;
    if (matches.length === 1 && only !== undefined) return only;
    throw new UserError(
      matches.length === 0
        ? `There is no snapshot ${idOrBeginning}.`
        : `Several snapshots begin with ${idOrBeginning}.`,
      { hint: "/snapshot lists them." },
    );
  }

  async #freeId(label: string): Promise<string> {
    const stamp = new Date(this.#clock.now()).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
    const tail = label
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 40);
    const base = tail === "" ? stamp : `${stamp}-${tail}`;
    const taken = new Set(await foldersIn(this.#home.stateSnapshots));
    for (let number = 1; ; number += 1) {
      const id = number === 1 ? base : `${base}-${number}`;
      if (!taken.has(id)) return id;
    }
  }

  #folder(id: string): string {
    return safeJoin(this.#home.stateSnapshots, id);
  }
}

async function copyPrivate(from: string, to: string): Promise<void> {
  await ensureDir(dirname(to), 0o700);
  await copyFile(from, to);
  await chmod(to, 0o600);
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}
