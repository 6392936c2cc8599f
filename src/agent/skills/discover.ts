import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
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
}

export const skillFileName = "SKILL.md";
export const descriptionFileName = "DESCRIPTION.md";

const maxDepth = 6;
/** A root that somebody pointed at a whole disk must not hang the start. */
const maxFolders = 5_000;

/** Whether a folder of this name is looked into: hidden ones (`.git`, `.hub`, `.trash`) and dependencies never are. */
export function isScanned(folderName: string): boolean {
  return !folderName.startsWith(".") && folderName !== "node_modules";
}

/** Finds the skills below the roots. A folder with a SKILL.md is one skill; nothing below it is a skill of its own. */
export async function findSkillFiles(roots: readonly SkillRoot[], signal: AbortSignal): Promise<Walk> {
  const walker = new Walker(signal);
  for (const root of roots) await walker.visit({ folder: root.path, category: [], root });
  return { skills: walker.skills, descriptions: walker.descriptions };
}

interface Place {
  readonly folder: string;
  readonly category: readonly string[];
  readonly root: SkillRoot;
}

class Walker {
  readonly skills: FoundFile[] = [];
  readonly descriptions: FoundFile[] = [];
  readonly #signal: AbortSignal;
  readonly #seen = new Set<string>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async visit(place: Place): Promise<void> {
    this.#signal.throwIfAborted();
    const real = await realpathIfPresent(place.folder);
    // A link back up, or one root inside another, would otherwise be walked twice or for ever.
    if (real === undefined || this.#seen.has(real) || this.#seen.size >= maxFolders) return;
    this.#seen.add(real);
    const entries = await entriesOf(place.folder);
    const names = new Set(entries.map((entry) => entry.name));
    const isRoot = place.folder === place.root.path;
    if (!isRoot && names.has(skillFileName)) {
      const category = place.category.slice(0, -1);
      await this.#note(this.skills, { ...place, category }, skillFileName);
      return;
    }
    if (!isRoot && names.has(descriptionFileName)) await this.#note(this.descriptions, place, descriptionFileName);
    if (place.category.length >= maxDepth) return;
    for (const entry of entries) {
      if (!isScanned(entry.name) || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
      await this.visit({
        folder: join(place.folder, entry.name),
        category: [...place.category, entry.name],
        root: place.root,
      });
    }
  }

  async #note(list: FoundFile[], place: Place, name: string): Promise<void> {
    const path = join(place.folder, name);
    const stamp = await stampOf(path);
    if (stamp !== undefined) list.push({ path, stamp, category: place.category.join("/"), root: place.root });
  }
}

/** The entries of a folder by name; none when it is missing, no folder, or not ours to read. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** The stamp of a regular file, or undefined. */
export async function stampOf(path: string): Promise<FileStamp | undefined> {
  try {
    const facts = await stat(path);
    return facts.isFile() ? { mtimeMs: facts.mtimeMs, size: facts.size } : undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

async function realpathIfPresent(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
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
  return basename(join(skillFile, ".."));
}
