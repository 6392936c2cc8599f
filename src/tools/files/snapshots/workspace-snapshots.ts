import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { defined } from "#foundation/defined";
import { describe, systemErrorCode, UserError } from "#foundation/errors";
import { withFileLock } from "#foundation/files/files";
import { holdBelow, holdFile } from "#foundation/files/held-folder";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { KeyedMutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import { isAlike, type Restore, type RestoreReport, restoreTree } from "./restore-tree.ts";
import { type SnapshotLine, type SnapshotMark, SnapshotStore, type StoredEntry } from "./snapshot-store.ts";
import { changesOfTurn } from "./turn-changes.ts";
import { entryAt, type FoundEntry, WorkspaceScan } from "./workspace-scan.ts";

export interface SnapshotOptions {
  /** Where all snapshots are kept, one folder for each workspace. */
  readonly folder: string;
  readonly maxSnapshots: number;
  readonly timeoutMs: number;
  /** Folders that are no project, nor is what contains them: a snapshot would be one of everything. */
  readonly notProjects: readonly string[];
  /** No part of any snapshot: Hermes' own files, which change all the time. */
  readonly excluded: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is about to happen in a folder. */
export interface Change {
  readonly root: string;
  /** For the list that a person chooses from. */
  readonly reason: string;
  /** The turn that does it; `undoTurn` goes by it. */
  readonly turn?: string | undefined;
  /** All it may change, absolute, with links resolved; left out where nobody knows. */
  readonly files?: readonly string[] | undefined;
}

export interface Snapshot {
  readonly id: string;
  readonly atMs: number;
  readonly reason: string;
  readonly turn: string | undefined;
  /** How many files are different now. */
  readonly differing: number;
}

export type SnapshotOutcome =
  /** Everything in the folder can be brought back; `id` is the newest snapshot, also when nothing had changed since. */
  { readonly kind: "covered"; readonly id: string } | { readonly kind: "uncovered"; readonly reason: string };

/** What going back behind a turn did, in all folders it had changed. */
export interface UndoReport extends RestoreReport {
  /** Changed again after the turn: left as they are. */
  readonly changedSince: readonly string[];
}

const maxFileBytes = 256 * 1024 * 1024;
const maxNewBytes = 4 * 1024 * 1024 * 1024;
const copiesAtOnce = 16;
/** How long a folder that was too large is not looked at again. */
const refusalMs = 300_000;

/** So long after its last snapshot a project that is gone can still be brought back. */
const goneProjectMs = 30 * 24 * 3_600_000;

/**
 * Snapshots of workspaces before anything may change them, so that `/undo` and `/rollback` bring back what any tool did.
 *
 * 1. A snapshot is on disk before the change it stands before begins; a crash in the change loses nothing.
 * 2. It holds contents, modes, links and empty folders, ignored files and `.git` included; folders that tools rebuild are left out.
 * 3. Only what changed is read: a snapshot of an unchanged folder costs no more than asking whether it changed.
 * 4. What changes only files that are named needs no new one where the newest holds them as they are, or they are not there.
 * 5. The first change of each turn has a snapshot of its own, also when nothing changed since the one before it.
 */
export class WorkspaceSnapshots implements Disposable {
  readonly #options: SnapshotOptions;
  readonly #locks = new KeyedMutex<string>();
  readonly #workspaces = new Map<string, Workspace>();

  constructor(options: SnapshotOptions) {
    this.#options = options;
  }

  /** Whether snapshots of a folder are taken at all: not of a home, the temp folder, or what contains them. */
  covers(root: string): boolean {
    const contains = (folder: string): boolean => {
      const relative = path.relative(root, folder);
      return !relative.startsWith("..") && !path.isAbsolute(relative);
    };
    return path.isAbsolute(root) && !this.#options.notProjects.some(contains);
  }

  /** Makes sure that the folder as it is now can be brought back. Never fails a change: what cannot be covered is said. */
  async before(change: Change, signal: AbortSignal): Promise<SnapshotOutcome> {
    return await this.#covered(change, {}, signal);
  }

  /** A turn is over: what changes from now on is not its doing. */
  async endTurn(change: Change, signal: AbortSignal): Promise<void> {
    await this.#covered(change, { mark: "end" }, signal);
  }

  /** Removes what is kept of projects whose folders have been gone for a month. */
  async forgetGone(signal: AbortSignal): Promise<void> {
    const { folder, clock } = this.#options;
    for (const name of await fs.readdir(folder).catch(() => [])) {
      signal.throwIfAborted();
      const root = (await fs.readFile(path.join(folder, name, "root"), "utf8").catch(() => "")).trimEnd();
      if (!path.isAbsolute(root) || (await isThere(root))) continue;
      const remove = async (): Promise<void> => {
        const { store } = this.#workspace(root);
        await store.refresh();
        const last = store.lines.at(-1)?.at ?? clock.now();
        if (clock.now() - last < goneProjectMs || (await isThere(root))) return;
        await fs.rm(path.join(folder, name), { recursive: true, force: true });
        this.#workspaces.delete(root);
      };
      await this.#locks.run(root, remove, signal);
    }
  }

  /** One for each turn, taken before its first change, and those that no turn made. Newest first. */
  async list(root: string, signal: AbortSignal): Promise<readonly Snapshot[]> {
    const { store } = this.#workspace(root);
    await store.refresh();
    if (store.lines.length === 0) return [];
    await this.#covered({ root, reason: "before a comparison" }, { mark: "look" }, signal);
    const present = store.treeOf();
    return firstOfEachTurn(store.lines.filter(({ mark }) => mark === undefined))
      .map(({ id, at, reason, turn }) => ({
        id,
        atMs: at,
        reason,
        turn,
        differing: differingFiles(store.treeOf(id), present),
      }))
      .reverse();
  }

  /** Brings files back as they were, one or all, after a snapshot of how they are. Files made since then go. */
  async restore(
    root: string,
    request: { readonly id: string; readonly file?: string | undefined },
    signal: AbortSignal,
  ): Promise<RestoreReport> {
    const { store } = this.#workspace(root);
    await store.refresh();
    const { id } = chooseSnapshot(store.lines, request.id);
    const file = request.file === undefined ? undefined : relativeFile(root, request.file);
    const concerns = (name: string): boolean => file === undefined || name === file || name.startsWith(`${file}/`);
    const why = await this.#whyNotKept({ root, reason: `before going back to ${id.slice(0, 8)}` }, signal);
    const work = { wanted: store.treeOf(id), concerns };
    return await this.#locks.run(root, () => this.#goTo(root, { ...work, why }, signal), signal);
  }

  /** What changed between a snapshot and now, for people. */
  async diff(root: string, id: string, signal: AbortSignal): Promise<string> {
    await this.#covered({ root, reason: "before a comparison" }, { mark: "look" }, signal);
    const { store } = this.#workspace(root);
    const { diffTrees } = await import("./diff-trees.ts");
    const chosen = chooseSnapshot(store.lines, id);
    return diffTrees(store.treeOf(chosen.id), store.treeOf(), (hash) => store.objectFile(hash));
  }

  /** Takes back what a turn changed, in every folder; what was changed again after it stays. */
  async undoTurn(turn: string, signal: AbortSignal): Promise<UndoReport> {
    const reports: UndoReport[] = [];
    for (const root of await this.#rootsOf(turn)) {
      const { store } = this.#workspace(root);
      const why = await this.#whyNotKept({ root, reason: "before /undo" }, signal);
      const changes = changesOfTurn(store, turn);
      if (changes === undefined) continue;
      const concerns = (name: string): boolean => why !== undefined || changes.names.has(name);
      const work = { wanted: changes.before, concerns, why };
      const done = await this.#locks.run(root, () => this.#goTo(root, work, signal), signal);
      reports.push({ ...done, changedSince: changes.changedSince });
    }
    return {
      ...defined({ onlyGone: reports.find(({ onlyGone }) => onlyGone !== undefined)?.onlyGone }),
      restored: reports.flatMap((one) => one.restored),
      removed: reports.flatMap((one) => one.removed),
      missing: reports.flatMap((one) => one.missing),
      changedSince: reports.flatMap((one) => one.changedSince),
    };
  }

  [Symbol.dispose](): void {
    for (const { scan } of this.#workspaces.values()) scan[Symbol.dispose]();
    this.#workspaces.clear();
  }

  /**
   * Where the folder as it is now cannot be kept (a program may have filled it for that), nothing that is there is touched: only what is gone
   * comes back.
   */
  async #goTo(
    root: string,
    { wanted, concerns, why }: Pick<Restore, "wanted" | "concerns"> & { readonly why: string | undefined },
    signal: AbortSignal,
  ): Promise<RestoreReport> {
    const { store } = this.#workspace(root);
    const objectFile = (hash: string): string => store.objectFile(hash);
    if (why === undefined)
      return await restoreTree({ root, wanted, concerns, present: store.treeOf(), objectFile }, signal);
    const gone = new Map([...wanted].filter(([name]) => concerns(name) && isGone(root, name)));
    const work = { root, wanted: gone, concerns: () => true, present: new Map(), objectFile };
    return { ...(await restoreTree(work, signal)), onlyGone: why };
  }

  /** Going back without being able to go forward again would lose what is there now. */
  async #whyNotKept(change: Change, signal: AbortSignal): Promise<string | undefined> {
    // Nothing old is dropped now: the snapshot that is wanted may be the oldest.
    const outcome = await this.#covered(change, { mayPrune: false }, signal);
    return outcome.kind === "uncovered" ? outcome.reason : undefined;
  }

  async #covered(change: Change, how: Taking, signal: AbortSignal): Promise<SnapshotOutcome> {
    const { root } = change;
    if (!this.covers(root)) return { kind: "uncovered", reason: `${root} is not a project folder` };
    const { timeoutMs, logger } = this.#options;
    using limit = deadline(timeoutMs, `a snapshot took longer than ${timeoutMs / 1000} s`);
    const either = linkSignals(signal, limit.signal);
    try {
      return await this.#locks.run(root, () => this.#take(change, how, either), either);
    } catch (error) {
      signal.throwIfAborted();
      const reason = describe(error);
      logger.warn("no snapshot was made", { root, reason });
      return { kind: "uncovered", reason };
    }
  }

  async #take(change: Change, how: Taking, signal: AbortSignal): Promise<SnapshotOutcome> {
    const { clock } = this.#options;
    const workspace = this.#workspace(change.root);
    const { store, scan } = workspace;
    if (workspace.refused !== undefined && workspace.refused.untilMs > clock.now())
      return { kind: "uncovered", reason: workspace.refused.reason };
    await store.refresh();
    const known = store.lines.at(-1);
    if (
      known !== undefined &&
      known === workspace.last &&
      !needsLine(known, change, how) &&
      holds(workspace.tree, change)
    )
      return { kind: "covered", id: known.id };
    const found = await scan.update(signal);
    if (found.kind === "too-large") {
      workspace.refused = { reason: found.reason, untilMs: clock.now() + refusalMs };
      return { kind: "uncovered", reason: found.reason };
    }
    const standing = store.lines.at(-1);
    const isKnown = workspace.last === standing && workspace.version === found.version;
    if (standing !== undefined && isKnown && !needsLine(standing, change, how))
      return { kind: "covered", id: standing.id };
    await store.prepare(change.root);
    return await withFileLock(
      path.join(this.#folderOf(change.root), "lock"),
      () => this.#write(workspace, { change, how, found }, signal),
      { signal },
    );
  }

  /** With the lock of the folder's snapshots, which other processes respect. */
  async #write(
    workspace: Workspace,
    { change, how, found }: { readonly change: Change; readonly how: Taking; readonly found: Found },
    signal: AbortSignal,
  ): Promise<SnapshotOutcome> {
    const { store, scan } = workspace;
    await store.refresh();
    const standing = store.lines.at(-1);
    const isForeign = workspace.last !== standing || standing === undefined;
    if (isForeign) workspace.tree = store.treeOf();
    const { tree } = workspace;
    workspace.last = standing;
    workspace.version = found.version;
    const { changed, gone } = differences(tree, found, isForeign ? "everything" : found.touched);
    if (changed.length === 0 && gone.length === 0 && standing !== undefined && !needsLine(standing, change, how)) {
      scan.settle([]);
      return { kind: "covered", id: standing.id };
    }
    // Until everything is kept, the picture of this version is not known.
    workspace.version = -1;
    workspace.last = undefined;
    const bytes = changed.reduce((sum, [, entry]) => sum + (entry.kind === "file" ? entry.size : 0), 0);
    if (bytes > maxNewBytes) throw new Error(`more than ${maxNewBytes / 1024 ** 3} GB changed`);
    const { root, reason, turn } = change;
    const set = Object.fromEntries(await keepAll(store, { root, changed }, signal));
    const young = changed.flatMap(([name, entry]) => (entry.kind === "file" && entry.isYoung ? [name] : []));
    const isDifferent = gone.length > 0 || Object.entries(set).some(([name, entry]) => !isAlike(tree.get(name), entry));
    if (standing !== undefined && !isDifferent && !needsLine(standing, change, how)) {
      for (const [name, entry] of Object.entries(set)) tree.set(name, entry);
      workspace.last = standing;
      workspace.version = found.version;
      scan.settle(young);
      return { kind: "covered", id: standing.id };
    }
    const line = store.append({ at: this.#options.clock.now(), reason, turn, mark: how.mark, set, gone });
    for (const name of gone) tree.delete(name);
    for (const [name, entry] of Object.entries(line.set)) tree.set(name, entry);
    if (how.mayPrune !== false) await store.prune(this.#options.maxSnapshots);
    workspace.last = store.lines.at(-1);
    workspace.version = found.version;
    scan.settle(young);
    return { kind: "covered", id: line.id };
  }

  /** The folders a turn worked in, by what is on disk: also a turn of an earlier process. */
  async #rootsOf(turn: string): Promise<readonly string[]> {
    const { folder } = this.#options;
    const roots: string[] = [];
    for (const name of await fs.readdir(folder).catch(() => [])) {
      const root = (await fs.readFile(path.join(folder, name, "root"), "utf8").catch(() => "")).trimEnd();
      if (!path.isAbsolute(root)) continue;
      const { store } = this.#workspace(root);
      await store.refresh();
      if (store.lines.some((line) => line.turn === turn)) roots.push(root);
    }
    return roots;
  }

  #workspace(root: string): Workspace {
    const known = this.#workspaces.get(root);
    if (known !== undefined) return known;
    const made: Workspace = {
      store: new SnapshotStore(this.#folderOf(root)),
      scan: new WorkspaceScan(root, { excluded: this.#options.excluded }),
      tree: new Map(),
      last: undefined,
      version: -1,
      refused: undefined,
    };
    this.#workspaces.set(root, made);
    return made;
  }

  #folderOf(root: string): string {
    return path.join(this.#options.folder, createHash("sha256").update(root).digest("hex").slice(0, 16));
  }
}

/** Nothing stands there, and nothing in the way. */
function isGone(root: string, name: string): boolean {
  for (let at = name; at !== "."; at = path.dirname(at)) {
    using folder = holdBelow(root, path.dirname(at));
    if (folder !== undefined) return lstatSync(folder.at(path.basename(at)), { throwIfNoEntry: false }) === undefined;
  }
  return false;
}

/** Lines come oldest first. What stands before the later changes of a turn serves `undoTurn`. */
function firstOfEachTurn(lines: readonly SnapshotLine[]): readonly SnapshotLine[] {
  const seen = new Set<string>();
  return lines.filter(({ turn }) => {
    const isFirst = turn === undefined || !seen.has(turn);
    if (turn !== undefined) seen.add(turn);
    return isFirst;
  });
}

/** A folder that cannot be asked about (another user's, a drive that is not mounted right now) counts as being there. */
async function isThere(folder: string): Promise<boolean> {
  try {
    await fs.stat(folder);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}

type Found = Extract<Awaited<ReturnType<WorkspaceScan["update"]>>, { kind: "current" }>;

interface Taking {
  readonly mark?: SnapshotMark;
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
  refused: { readonly reason: string; readonly untilMs: number } | undefined;
}

/** A turn's first snapshot and its end are written down although nothing changed. */
function needsLine(standing: SnapshotLine, { turn }: Change, { mark }: Taking): boolean {
  if (turn === undefined) return false;
  return standing.turn !== turn || standing.mark !== mark;
}

/** Copies what changed, several files at once; a file that vanishes meanwhile is not there. */
async function keepAll(
  store: SnapshotStore,
  work: { readonly root: string; readonly changed: readonly (readonly [string, FoundEntry])[] },
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
      kept.push([name, await keepOne(store, { root: work.root, name }, entry)]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(copiesAtOnce, waiting.length) }, copy));
  return kept;
}

async function keepOne(
  store: SnapshotStore,
  at: { readonly root: string; readonly name: string },
  entry: FoundEntry,
): Promise<StoredEntry> {
  if (entry.kind === "folder") return { k: "d", m: entry.mode };
  if (entry.kind === "link") return { k: "l", t: entry.target };
  const facts = { k: "f", m: entry.mode, s: entry.size, x: entry.stamp } as const;
  if (entry.size > maxFileBytes) return facts;
  try {
    // A young file is read again next time: its stamp would not tell.
    using file = holdFile(at.root, at.name);
    if (file === undefined) return facts;
    return { ...facts, x: entry.isYoung ? "" : entry.stamp, h: await store.keep(file.path, entry.size) };
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    // Unreadable for us, or gone since: it cannot be brought back, and the entry says so by having no content.
    return facts;
  }
}

/** Whether a picture of the folder has all that the change may destroy. */
function holds(tree: ReadonlyMap<string, StoredEntry>, { root, files }: Change): boolean {
  const isHeld = (file: string): boolean => {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return true;
    const entry = entryAt(file);
    return entry !== undefined && isSame(tree.get(path.relative(root, file).split(path.sep).join("/")), entry);
  };
  try {
    return files?.every(isHeld) ?? false;
  } catch (error) {
    // A part of the path is no folder, or closed to us: whatever that means, a snapshot is safe.
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}

/** What is not as the newest snapshot has it, among the paths that may have changed since. */
function differences(
  tree: ReadonlyMap<string, StoredEntry>,
  { entries }: Found,
  among: ReadonlySet<string> | "everything",
): { readonly changed: readonly (readonly [string, FoundEntry])[]; readonly gone: readonly string[] } {
  const changed: (readonly [string, FoundEntry])[] = [];
  for (const name of among === "everything" ? entries.keys() : among) {
    const entry = entries.get(name);
    if (entry !== undefined && !isSame(tree.get(name), entry)) changed.push([name, entry]);
  }
  const known = among === "everything" ? [...tree.keys()] : [...among].filter((name) => tree.has(name));
  return { changed, gone: known.filter((name) => !entries.has(name)) };
}

function isSame(stored: StoredEntry | undefined, found: FoundEntry): boolean {
  if (stored === undefined) return false;
  if (stored.k === "d") return found.kind === "folder" && stored.m === found.mode;
  if (stored.k === "l") return found.kind === "link" && stored.t === found.target;
  return found.kind === "file" && stored.m === found.mode && stored.s === found.size && stored.x === found.stamp;
}

function differingFiles(then: ReadonlyMap<string, StoredEntry>, now: ReadonlyMap<string, StoredEntry>): number {
  let count = 0;
  for (const [name, entry] of then) if (entry.k !== "d" && !isAlike(now.get(name), entry)) count += 1;
  for (const [name, entry] of now) if (entry.k !== "d" && !then.has(name)) count += 1;
  return count;
}

/** By id or its beginning. */
function chooseSnapshot(lines: readonly SnapshotLine[], id: string): SnapshotLine {
  const found = /^[0-9a-f]{4,64}$/i.test(id) ? lines.filter((line) => line.id.startsWith(id.toLowerCase())) : [];
  const [one] = found;
  if (one !== undefined && found.length === 1) return one;
  throw new UserError(`There is no checkpoint "${id}".`, {
    hint: "List them with /rollback; an id may be shortened to 4 or more characters.",
  });
}

function relativeFile(root: string, file: string): string {
  const inside = path.relative(root, path.resolve(root, file));
  if (!path.isAbsolute(file) && inside !== "" && !inside.startsWith("..")) return inside.split(path.sep).join("/");
  throw new UserError(`"${file}" does not lie inside ${root}.`, { hint: "Give the path relative to the project." });
}
