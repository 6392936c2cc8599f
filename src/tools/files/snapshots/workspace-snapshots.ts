import { createHash } from "node:crypto";
import path from "node:path";
import { describe, UserError } from "#foundation/errors";
import { withFileLock } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { KeyedMutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import { type RestoreReport, restoreTree } from "./restore-tree.ts";
import { type SnapshotLine, SnapshotStore, type StoredEntry } from "./snapshot-store.ts";
import { type FoundEntry, WorkspaceScan } from "./workspace-scan.ts";

export interface SnapshotOptions {
  /** Where all snapshots are kept, one folder for each workspace. */
  readonly folder: string;
  readonly maxSnapshots: number;
  readonly home: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Snapshot {
  readonly id: string;
  readonly atMs: number;
  readonly reason: string;
  readonly turn: string | undefined;
}

export type SnapshotOutcome =
  /** Everything in the folder can be brought back; `id` is the newest snapshot, also when nothing had changed since. */
  { readonly kind: "covered"; readonly id: string } | { readonly kind: "uncovered"; readonly reason: string };

const maxFileBytes = 256 * 1024 * 1024;
const copiesAtOnce = 16;

/**
 * Snapshots of workspaces before anything may change them, so that `/undo` and `/rollback` bring back what any tool did.
 *
 * 1. A snapshot is on disk before the change it stands before begins; a crash in the change loses nothing.
 * 2. It holds contents, modes, links and empty folders, ignored files and `.git` included; folders that tools rebuild are left out.
 * 3. Only what changed is read: a snapshot of an unchanged folder costs no more than asking whether it changed.
 */
export class WorkspaceSnapshots implements Disposable {
  readonly #options: SnapshotOptions;
  readonly #locks = new KeyedMutex<string>();
  readonly #workspaces = new Map<string, Workspace>();

  constructor(options: SnapshotOptions) {
    this.#options = options;
  }

  /** Makes sure that the folder as it is now can be brought back. Never fails a change: what cannot be covered is said. */
  async before(change: Change, signal: AbortSignal): Promise<SnapshotOutcome> {
    const { root } = change;
    if (!isProject(root, this.#options.home)) return { kind: "uncovered", reason: `${root} is not a project folder` };
    try {
      return await this.#locks.run(root, () => this.#take(change, signal));
    } catch (error) {
      signal.throwIfAborted();
      const reason = describe(error);
      this.#options.logger.warn("no snapshot was made", { root, reason });
      return { kind: "uncovered", reason };
    }
  }

  /** Newest first. */
  async list(root: string): Promise<readonly Snapshot[]> {
    const { store } = this.#workspace(root);
    await store.refresh(root);
    return store.lines.map(snapshotOf).reverse();
  }

  /** Brings files back as they were, one or all, after a snapshot of how they are. Files made since then go. */
  async restore(
    root: string,
    request: { readonly id: string; readonly file?: string | undefined },
    signal: AbortSignal,
  ): Promise<RestoreReport> {
    const { store } = this.#workspace(root);
    await store.refresh(root);
    const chosen = chooseSnapshot(store.lines, request.id);
    const file = request.file === undefined ? undefined : relativeFile(root, request.file);
    // Nothing old is dropped now: the snapshot that is wanted may be the oldest.
    await this.before({ root, reason: `before going back to ${chosen.id.slice(0, 8)}`, mayPrune: false }, signal);
    return this.#locks.run(root, () =>
      restoreTree(
        {
          root,
          file,
          wanted: store.treeOf(chosen.id),
          present: store.treeOf(),
          objectFile: (hash) => store.objectFile(hash),
        },
        signal,
      ),
    );
  }

  /** What changed between a snapshot and now, for people. */
  async diff(root: string, id: string, signal: AbortSignal): Promise<string> {
    await this.before({ root, reason: "before a comparison" }, signal);
    const { store } = this.#workspace(root);
    const { diffTrees } = await import("./diff-trees.ts");
    const chosen = chooseSnapshot(store.lines, id);
    return diffTrees(store.treeOf(chosen.id), store.treeOf(), (hash) => store.objectFile(hash));
  }

  [Symbol.dispose](): void {
    for (const { scan } of this.#workspaces.values()) scan[Symbol.dispose]();
    this.#workspaces.clear();
  }

  async #take({ root, reason, turn, mayPrune = true }: Change, signal: AbortSignal): Promise<SnapshotOutcome> {
    const workspace = this.#workspace(root);
    const { store, scan } = workspace;
    const found = await scan.update(signal);
    if (found.kind === "too-large") return { kind: "uncovered", reason: found.reason };
    await store.refresh(root);
    const standing = store.lines.at(-1);
    if (workspace.last !== standing) {
      workspace.tree = store.treeOf();
      workspace.last = standing;
    } else if (standing !== undefined && workspace.version === found.version)
      return { kind: "covered", id: standing.id };
    workspace.version = found.version;
    const { tree } = workspace;
    const changed = [...found.entries].filter(([name, entry]) => !isSame(tree.get(name), entry));
    const gone = [...tree.keys()].filter((name) => !found.entries.has(name));
    if (changed.length === 0 && gone.length === 0 && standing !== undefined)
      return { kind: "covered", id: standing.id };
    const line = await withFileLock(
      path.join(this.#folderOf(root), "lock"),
      async () => {
        const set = Object.fromEntries(await keepAll(store, { root, changed, tree }, signal));
        return store.append({ at: this.#options.clock.now(), reason, turn, set, gone });
      },
      { signal },
    );
    for (const name of gone) tree.delete(name);
    for (const [name, entry] of Object.entries(line.set)) tree.set(name, entry);
    workspace.last = line;
    if (mayPrune) {
      await store.prune(this.#options.maxSnapshots);
      workspace.last = store.lines.at(-1);
    }
    return { kind: "covered", id: line.id };
  }

  #workspace(root: string): Workspace {
    const known = this.#workspaces.get(root);
    if (known !== undefined) return known;
    const made: Workspace = {
      store: new SnapshotStore(this.#folderOf(root)),
      scan: new WorkspaceScan(root),
      tree: new Map(),
      last: undefined,
      version: -1,
    };
    this.#workspaces.set(root, made);
    return made;
  }

  #folderOf(root: string): string {
    return path.join(this.#options.folder, createHash("sha256").update(root).digest("hex").slice(0, 16));
  }
}

interface Change {
  readonly root: string;
  /** What is about to happen, for the list that a person chooses from. */
  readonly reason: string;
  readonly turn?: string | undefined;
  readonly mayPrune?: boolean;
}

interface Workspace {
  readonly store: SnapshotStore;
  readonly scan: WorkspaceScan;
  /** The newest snapshot's picture, so that it need not be read for each question. */
  tree: Map<string, StoredEntry>;
  last: SnapshotLine | undefined;
  /** Of the scan that it was compared with. */
  version: number;
}

/** Copies what changed, several files at once; a file that vanishes meanwhile is not there. */
async function keepAll(
  store: SnapshotStore,
  work: {
    readonly root: string;
    readonly changed: readonly (readonly [string, FoundEntry])[];
    readonly tree: ReadonlyMap<string, StoredEntry>;
  },
  signal: AbortSignal,
): Promise<readonly (readonly [string, StoredEntry])[]> {
  const kept: (readonly [string, StoredEntry])[] = [];
  const waiting = [...work.changed];
  const copy = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      signal.throwIfAborted();
      // Small files are kept on this thread; everybody else gets a turn between them.
      if (kept.length % 64 === 63) await new Promise((resolve) => setImmediate(resolve));
      const [name, entry] = next;
      kept.push([name, await keepOne(store, path.join(work.root, name), entry)]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(copiesAtOnce, waiting.length) }, copy));
  return kept;
}

async function keepOne(store: SnapshotStore, file: string, entry: FoundEntry): Promise<StoredEntry> {
  if (entry.kind === "folder") return { k: "d", m: entry.mode };
  if (entry.kind === "link") return { k: "l", t: entry.target };
  const facts = { k: "f", m: entry.mode, s: entry.size, x: entry.stamp } as const;
  if (entry.size > maxFileBytes) return facts;
  try {
    return { ...facts, h: await store.keep(file, entry.size) };
  } catch {
    // Unreadable for us, or gone since: it cannot be brought back, and the entry says so by having no content.
    return facts;
  }
}

function isSame(stored: StoredEntry | undefined, found: FoundEntry): boolean {
  if (stored === undefined) return false;
  if (stored.k === "d") return found.kind === "folder" && stored.m === found.mode;
  if (stored.k === "l") return found.kind === "link" && stored.t === found.target;
  return found.kind === "file" && stored.m === found.mode && stored.s === found.size && stored.x === found.stamp;
}

function snapshotOf({ id, at, reason, turn }: SnapshotLine): Snapshot {
  return { id, atMs: at, reason, turn };
}

/** By id or its beginning. */
function chooseSnapshot(lines: readonly SnapshotLine[], id: string): SnapshotLine {
  const found = /^[0-9a-f]{4,64}$/i.test(id) ? lines.filter((line) => line.id.startsWith(id.toLowerCase())) : [];
  const [one] = found;
  if (one !== undefined && found.length === 1) return one;
  throw new UserError(`There is no snapshot "${id}".`, {
    hint: "List them with /rollback; an id may be shortened to 4 or more characters.",
  });
}

function relativeFile(root: string, file: string): string {
  const inside = path.relative(root, path.resolve(root, file));
  if (!path.isAbsolute(file) && inside !== "" && !inside.startsWith("..")) return inside.split(path.sep).join("/");
  throw new UserError(`"${file}" does not lie inside ${root}.`, { hint: "Give the path relative to the project." });
}

/** A home, or what contains one, is no project: a snapshot of it would be one of everything. */
function isProject(root: string, home: string): boolean {
  const relative = path.relative(root, home);
  return path.isAbsolute(root) && (relative.startsWith("..") || path.isAbsolute(relative));
}
