import { type FSWatcher, lstatSync, readdirSync, readlinkSync, watch } from "node:fs";
import path from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { type HeldFolder, holdBelow } from "#foundation/files/held-folder";

/**
 * What lies at a path. `stamp` changes whenever content or mode do; it cannot be set back by whoever changes them.
 * A file changed twice within a tick of the file system's clock keeps its stamp: one that `isYoung` proves nothing yet.
 */
export type FoundEntry =
  | { readonly kind: "folder"; readonly mode: number; readonly identity: string }
  | {
      readonly kind: "file";
      readonly mode: number;
      readonly size: number;
      readonly stamp: string;
      readonly isYoung: boolean;
    }
  | { readonly kind: "link"; readonly target: string };

export type ScanResult =
  /** `version` is another one whenever a folder was read again; `touched` are the paths that changed since they were settled. */
  | {
      readonly kind: "current";
      readonly entries: ReadonlyMap<string, FoundEntry>;
      readonly version: number;
      readonly touched: ReadonlySet<string> | "everything";
    }
  | { readonly kind: "too-large"; readonly reason: string };

/** Made by tools from what is beside them, large, and not worth a copy. */
const rebuildable: ReadonlySet<string> = new Set([
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".tox",
  ".gradle",
  ".next",
  ".nuxt",
  ".turbo",
  ".parcel-cache",
]);

const maxEntries = 60_000;
const maxWatched = 8_000;
const sliceMs = 8;
/** Well above the tick of any file system's clock. */
const youngMs = 50;

/**
 * The picture of a folder, kept current cheaply: the system says which folders changed, and only those are read again.
 *
 * 1. A folder is watched before it is read, so no change falls between.
 * 2. Where watching fails (too many folders, a file system without notices), everything is read each time: slower, never wrong.
 * 3. Paths are relative, with `/`; the folder itself is not part of the picture. Sockets, pipes and devices are left out.
 */
export class WorkspaceScan implements Disposable {
  readonly #root: string;
  readonly #excluded: string | undefined;
  readonly #folders = new Map<string, Folder>();
  readonly #dirty = new Set<string>();
  #canWatch: boolean;
  #entries = new Map<string, FoundEntry>();
  #version = 0;
  #touched = new Set<string>();
  #isAllTouched = true;

  constructor(root: string, { excluded, canWatch = process.platform === "linux" }: ScanOptions = {}) {
    this.#root = root;
    this.#excluded = excluded;
    this.#canWatch = canWatch;
    this.#dirty.add("");
  }

  async update(signal: AbortSignal): Promise<ScanResult> {
    // Notices that have arrived wait for the event loop to ask for them; the second round is sure to have done so.
    await immediate();
    await immediate();
    if (!this.#canWatch) {
      this.#forgetAll();
      this.#dirty.add("");
    }
    let sliceEndsMs = performance.now() + sliceMs;
    for (let next = first(this.#dirty); next !== undefined; next = first(this.#dirty)) {
      signal.throwIfAborted();
      this.#dirty.delete(next);
      this.#version += 1;
      this.#readFolder(next);
      if (this.#entries.size > maxEntries) {
        this.#forgetAll();
        this.#dirty.add("");
        return { kind: "too-large", reason: `the folder holds more than ${maxEntries} files` };
      }
      if (performance.now() < sliceEndsMs) continue;
      await immediate();
      sliceEndsMs = performance.now() + sliceMs;
    }
    const touched = this.#isAllTouched ? "everything" : this.#touched;
    return { kind: "current", entries: this.#entries, version: this.#version, touched };
  }

  /** What was touched is known now, but for these paths. */
  settle(open: readonly string[]): void {
    this.#touched = new Set(open);
    this.#isAllTouched = false;
  }

  [Symbol.dispose](): void {
    this.#forgetAll();
  }

  #readFolder(relative: string): void {
    const absolute = path.join(this.#root, relative);
    // What stands there may be a link by now, or lie behind one: then nothing in it is part of the picture.
    using held = holdBelow(this.#root, relative);
    const before = this.#folders.get(relative);
    const folder: Folder = { names: new Set(), watcher: before?.watcher ?? this.#watch(relative, held?.path) };
    this.#folders.set(relative, folder);
    for (const [name, entry] of held === undefined ? [] : entriesIn(held)) {
      const child = relative === "" ? name : `${relative}/${name}`;
      folder.names.add(name);
      const known = this.#entries.get(child);
      if (!isUnchanged(known, entry)) this.#touched.add(child);
      if (entry.kind === "folder") {
        if (rebuildable.has(name) || path.join(absolute, name) === this.#excluded) {
          folder.names.delete(name);
          continue;
        }
        // Another folder of the same name: what was watched is gone, with everything below it.
        if (known?.kind === "folder" && known.identity !== entry.identity) this.#forget(child);
        if (!this.#folders.has(child)) this.#dirty.add(child);
      } else if (this.#folders.has(child)) this.#forget(child);
      this.#entries.set(child, entry);
    }
    for (const name of before?.names ?? []) {
      if (folder.names.has(name)) continue;
      const child = relative === "" ? name : `${relative}/${name}`;
      this.#remove(child);
      this.#forget(child);
    }
  }

  #watch(relative: string, folder: string | undefined): FSWatcher | undefined {
    if (!this.#canWatch || folder === undefined) return undefined;
    if (this.#folders.size > maxWatched) return this.#giveUpWatching();
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#dirty.add(relative));
      watcher.on("error", () => this.#giveUpWatching());
      return watcher;
    } catch (error) {
      // A folder that is gone or closed has nothing to watch; anything else means that watching does not work here.
      const code = systemErrorCode(error);
      return code === "ENOENT" || code === "EACCES" || code === "ENOTDIR" ? undefined : this.#giveUpWatching();
    }
  }

  #giveUpWatching(): undefined {
    this.#canWatch = false;
    for (const folder of this.#folders.values()) folder.watcher?.close();
    return undefined;
  }

  /** A folder is no more, or no folder any more: with all that was in it. */
  #forget(relative: string): void {
    // It may not have been read yet.
    this.#dirty.delete(relative);
    const folder = this.#folders.get(relative);
    if (folder === undefined) return;
    this.#folders.delete(relative);
    folder.watcher?.close();
    for (const name of folder.names) {
      this.#remove(`${relative}/${name}`);
      this.#forget(`${relative}/${name}`);
    }
  }

  #remove(name: string): void {
    this.#entries.delete(name);
    this.#touched.add(name);
  }

  #forgetAll(): void {
    this.#isAllTouched = true;
    for (const folder of this.#folders.values()) folder.watcher?.close();
    this.#folders.clear();
    this.#dirty.clear();
    this.#entries = new Map();
  }
}

interface ScanOptions {
  /** An absolute path that is no part of the picture. */
  readonly excluded?: string | undefined;
  readonly canWatch?: boolean;
}

interface Folder {
  readonly names: Set<string>;
  readonly watcher: FSWatcher | undefined;
}

export function entryAt(file: string): FoundEntry | undefined {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  const mode = facts.mode & 0o7777;
  // Numbers of removed folders are given to new ones at once; the time of birth tells them apart.
  if (facts.isDirectory()) return { kind: "folder", mode, identity: `${facts.dev}.${facts.ino}.${facts.birthtimeMs}` };
  if (facts.isSymbolicLink()) return { kind: "link", target: readlinkSync(file) };
  if (!facts.isFile()) return undefined;
  const stamp = `${facts.ino}.${facts.mtimeMs}.${facts.ctimeMs}`;
  return { kind: "file", mode, size: facts.size, stamp, isYoung: Date.now() - facts.ctimeMs < youngMs };
}

function isUnchanged(known: FoundEntry | undefined, found: FoundEntry): boolean {
  if (known?.kind !== found.kind) return false;
  if (known.kind === "link") return found.kind === "link" && known.target === found.target;
  if (found.kind === "link" || known.mode !== found.mode) return false;
  if (known.kind === "folder") return found.kind === "folder" && known.identity === found.identity;
  return found.kind === "file" && known.size === found.size && known.stamp === found.stamp;
}

function* entriesIn(folder: HeldFolder): Iterable<readonly [string, FoundEntry]> {
  for (const name of namesIn(folder.path)) {
    const entry = entryAt(folder.at(name));
    if (entry !== undefined) yield [name, entry];
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    // Gone meanwhile, or closed to us: there is nothing to see in it.
    return [];
  }
}

function first(names: ReadonlySet<string>): string | undefined {
  for (const name of names) return name;
  return undefined;
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
