import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, sep } from "node:path";
import { systemErrorCode } from "#foundation/errors";

/** A folder that holds skills. Only the local one may be written to. */
export interface SkillRoot {
  readonly path: string;
  readonly origin: "local" | "external";
}

/** When a file was last seen to change; equal stamps mean the same content. */
export interface FileStamp {
  readonly mtimeMs: number;
  readonly size: number;
}

export interface FoundFile {
  readonly path: string;
  readonly stamp: FileStamp;
  /** Folders between the root and this one, joined by `/`; empty directly in the root. */
  readonly category: string;
  readonly root: SkillRoot;
}

export interface Walk {
  /** Every SKILL.md, roots in the given order, then by path. */
  readonly skills: readonly FoundFile[];
  /** Every DESCRIPTION.md of a category. */
  readonly descriptions: readonly FoundFile[];
  /** Every folder that was read, as it was then; one that is not there is `undefined`. */
  readonly folders: ReadonlyMap<string, number | undefined>;
}

export const skillFileName = "SKILL.md";
const descriptionFileName = "DESCRIPTION.md";

const maxDepth = 6;
/** A root that somebody pointed at a whole disk must not hang the start. */
const maxFolders = 5_000;
/** After so many folders others have their turn. */
const foldersAtOnce = 50;

/** Whether a folder of this name is looked into: hidden ones (`.git`, `.hub`, `.trash`) and dependencies never are. */
export function isScanned(folderName: string): boolean {
  return !folderName.startsWith(".") && folderName !== "node_modules";
}

/**
 * Finds the skills below the roots. A folder with a SKILL.md is one skill; nothing below it is a skill of its own.
 * Folders are read on this thread: they are many, small, and read at every start, and a trip to another thread
 * takes ten times as long as the reading.
 */
export async function findSkillFiles(roots: readonly SkillRoot[], signal: AbortSignal): Promise<Walk> {
  const walker = new Walker(signal);
  for (const root of roots) await walker.visit({ folder: root.path, category: [], root, real: realOf(root.path) });
  return walker;
}

/** A folder that changed so short before it was read may change again without another time. */
const settledMs = 2_000;

/**
 * Whether the same walk would find the same now. What is added, taken away or renamed changes the time of its folder,
 * what is written that of its file; asking for times costs a fraction of reading. False where it cannot be told.
 */
export function isUnchanged(walk: Walk, walkedAtMs: number): boolean {
  for (const [folder, changedMs] of walk.folders) {
    if (changedMs !== undefined && changedMs > walkedAtMs - settledMs) return false;
    if (changeOf(folder) !== changedMs) return false;
  }
  return [...walk.skills, ...walk.descriptions].every(({ path, stamp }) => {
    const now = stampOf(path);
    return now?.mtimeMs === stamp.mtimeMs && now.size === stamp.size;
  });
}

interface Location {
  readonly folder: string;
  readonly category: readonly string[];
  readonly root: SkillRoot;
  /** Where the folder really lies; undefined when it is not there. */
  readonly real: string | undefined;
}

class Walker implements Walk {
  readonly skills: FoundFile[] = [];
  readonly descriptions: FoundFile[] = [];
  readonly folders = new Map<string, number | undefined>();
  readonly #signal: AbortSignal;
  readonly #seen = new Set<string>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async visit(location: Location): Promise<void> {
    this.#signal.throwIfAborted();
    const { real } = location;
    if (real === undefined) this.folders.set(location.folder, undefined);
    // A link back up, or one root inside another, would otherwise be walked twice or for ever.
    if (real === undefined || this.#seen.has(real) || this.#seen.size >= maxFolders) return;
    this.#seen.add(real);
    if (this.#seen.size % foldersAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    this.folders.set(location.folder, changeOf(location.folder));
    const entries = entriesOf(location.folder);
    const names = new Set(entries.map((entry) => entry.name));
    const isRoot = location.folder === location.root.path;
    if (!isRoot && names.has(skillFileName)) {
      const category = location.category.slice(0, -1);
      this.#note(this.skills, { ...location, category }, skillFileName);
      return;
    }
    if (!isRoot && names.has(descriptionFileName)) this.#note(this.descriptions, location, descriptionFileName);
    if (location.category.length >= maxDepth) return;
    for (const entry of entries) {
      if (!isScanned(entry.name) || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
      const folder = below(location.folder, entry.name);
      await this.visit({
        folder,
        category: [...location.category, entry.name],
        root: location.root,
        real: entry.isSymbolicLink() ? realOf(folder) : below(real, entry.name),
      });
    }
  }

  #note(list: FoundFile[], location: Location, name: string): void {
    const path = below(location.folder, name);
    const stamp = stampOf(path);
    if (stamp !== undefined) list.push({ path, stamp, category: location.category.join("/"), root: location.root });
  }
}

/** Names from the disk need no tidying, and tidying hundreds of paths is felt at the start. */
function below(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/** The entries of a folder by name; none when it is missing, no folder, or not ours to read. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** When entries of a folder last came or went; undefined when it is not there. */
function changeOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ctimeMs;
}

/** The stamp of a regular file, or undefined. */
export function stampOf(path: string): FileStamp | undefined {
  try {
    const facts = statSync(path);
    return facts.isFile() ? { mtimeMs: facts.mtimeMs, size: facts.size } : undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"].includes(systemErrorCode(error) ?? "");
}

/** The name of the folder a SKILL.md lies in. */
export function folderNameOf(skillFile: string): string {
  return basename(dirname(skillFile));
}
