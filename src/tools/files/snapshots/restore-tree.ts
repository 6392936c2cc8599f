import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { holdBelow } from "#foundation/files/held-folder";
import type { StoredEntry } from "./snapshot-store.ts";

/** Files and links; folders come and go with what is in them. */
export interface RestoreReport {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  /** Too large to have been kept, or closed to us: not brought back. */
  readonly missing: readonly string[];
  /** Why nothing that is there was touched. */
  readonly onlyGone?: string | undefined;
}

export interface Restore {
  readonly root: string;
  /** What else is there stays as it is. */
  concerns(name: string): boolean;
  readonly wanted: ReadonlyMap<string, StoredEntry>;
  readonly present: ReadonlyMap<string, StoredEntry>;
  objectFile(hash: string): string;
}

/**
 * Makes a folder look as in the wanted picture. What is as it should be already is not touched. Every step is taken in a folder that is held open
 * and was reached without a link: a program of the session may have put one there, and goes on running.
 */
export async function restoreTree(work: Restore, signal: AbortSignal): Promise<RestoreReport> {
  const removed = [...work.present.keys()]
    .filter((name) => work.concerns(name) && !work.wanted.has(name))
    .sort(byDepth)
    .reverse();
  const changed = [...work.wanted].filter(
    ([name, entry]) => work.concerns(name) && !isAlike(work.present.get(name), entry),
  );
  const folders = changed.filter(([, entry]) => entry.k === "d").sort(([a], [b]) => byDepth(a, b));
  const rest = changed.filter(([, entry]) => entry.k !== "d");
  const missing: string[] = [];
  await openFolders(work, [...removed, ...changed.map(([name]) => name)]);
  for (const name of removed) {
    signal.throwIfAborted();
    await removeOne(work.root, name, work.present.get(name)?.k === "d");
  }
  for (const [name] of folders) holdBelow(work.root, name, { isMade: true })?.[Symbol.dispose]();
  for (const [name, entry] of rest) {
    signal.throwIfAborted();
    if (!(await bringBack(work, name, entry))) missing.push(name);
  }
  // Modes last and from the inside out: a closed folder could not be filled.
  const wanted = [...work.wanted].filter(([name]) => work.concerns(name)).sort(([a], [b]) => byDepth(b, a));
  for (const [name, entry] of wanted) if (entry.k === "d") await chmodIfOther(work.root, name, entry.m);
  return {
    restored: rest
      .map(([name]) => name)
      .filter((name) => !missing.includes(name))
      .sort(),
    removed: removed.filter((name) => work.present.get(name)?.k !== "d").sort(),
    missing,
  };
}

/** Whether two pictures of one path would look the same to a person. */
export function isAlike(present: StoredEntry | undefined, wanted: StoredEntry | undefined): boolean {
  if (present === undefined || wanted === undefined) return present === wanted;
  if (present.k === "f" && wanted.k === "f")
    return (
      present.h === wanted.h &&
      present.m === wanted.m &&
      present.s === wanted.s &&
      // Nothing was kept of it: only its stamp tells.
      (present.h !== undefined || present.x === wanted.x)
    );
  if (present.k === "l" && wanted.k === "l") return present.t === wanted.t;
  return present.k === "d" && wanted.k === "d" && present.m === wanted.m;
}

async function bringBack({ root, objectFile }: Restore, name: string, entry: StoredEntry): Promise<boolean> {
  using folder = holdBelow(root, path.dirname(name), { isMade: true });
  if (folder === undefined) return false;
  const target = folder.at(path.basename(name));
  const there = await fs.lstat(target).catch(() => undefined);
  if (there?.isDirectory() === true) await fs.rm(target, { recursive: true, force: true });
  const temporary = folder.at(`.hermes-${randomBytes(6).toString("hex")}`);
  try {
    if (entry.k === "l") await fs.symlink(entry.t, temporary);
    else if (entry.k === "f") {
      if (entry.h === undefined) return false;
      await fs.copyFile(objectFile(entry.h), temporary, constants.COPYFILE_EXCL);
      await fs.chmod(temporary, entry.m);
    }
    await fs.rename(temporary, target);
    return true;
  } catch (error) {
    await fs.rm(temporary, { force: true });
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}

/** Folders that were closed (`chmod 000`) are opened on the way; their modes are set at the end. */
async function openFolders({ root }: Restore, names: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  for (const name of names)
    for (let folder = path.dirname(name); folder !== "."; folder = path.dirname(folder)) folders.add(folder);
  for (const folder of [...folders].sort(byDepth)) await changeMode(root, folder, (mode) => mode | 0o700);
}

async function removeOne(root: string, name: string, isFolder: boolean): Promise<void> {
  using folder = holdBelow(root, path.dirname(name));
  // Behind a link nothing is ours to remove.
  if (folder === undefined) return;
  const target = folder.at(path.basename(name));
  try {
    await (isFolder ? fs.rmdir(target) : fs.unlink(target));
  } catch (error) {
    // Not empty (something in it is not ours to remove), or gone already.
    if (systemErrorCode(error) === undefined) throw error;
  }
}

const chmodIfOther = (root: string, name: string, mode: number): Promise<void> => changeMode(root, name, () => mode);

async function changeMode(root: string, name: string, wanted: (mode: number) => number): Promise<void> {
  using folder = holdBelow(root, name);
  if (folder === undefined) return;
  const mode = (await fs.stat(folder.path)).mode & 0o7777;
  if (wanted(mode) !== mode) await fs.chmod(folder.path, wanted(mode));
}

function byDepth(one: string, other: string): number {
  return one.split("/").length - other.split("/").length || (one < other ? -1 : 1);
}
