import { createHash, randomBytes } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** One hash over names and contents of files, whatever order they come in. */
export function hashFiles(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash("sha256");
  for (const path of [...files.keys()].sort()) {
    const bytes = files.get(path) ?? new Uint8Array();
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

/** All regular files below a folder, by relative path. Links are left out. */
export async function readFolder(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const visit = async (prefix: string): Promise<void> => {
    const entries = await readdir(join(folder, prefix), { withFileTypes: true });
    for (const entry of entries) {
      const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile() && entry.name !== ".DS_Store") files.set(path, await readFile(join(folder, path)));
    }
  };
  await visit("");
  return files;
}

/** The hash of a folder, or undefined when it is not there. */
export async function hashFolder(folder: string): Promise<string | undefined> {
  const exists = await readdir(folder).then(
    () => true,
    () => false,
  );
  return exists ? hashFiles(await readFolder(folder)) : undefined;
}

/** A full copy at a place that was empty; what a broken attempt left there is removed first. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(join(to, ".."), { recursive: true });
  await cp(from, to, { recursive: true, dereference: false, verbatimSymlinks: true });
}

/** Replaces one folder by another in two renames; a crash in between leaves the old one beside it. */
export async function swapFolder(from: string, to: string): Promise<void> {
  const aside = `${dirname(to)}/.old-${randomBytes(6).toString("hex")}`;
  await mkdir(dirname(to), { recursive: true });
  const hadOld = await rename(to, aside).then(
    () => true,
    () => false,
  );
  try {
    await rename(from, to).catch(async () => {
      // Another file system: copy, which is not atomic but complete before the old one goes.
      await cp(from, to, { recursive: true });
      await rm(from, { recursive: true, force: true });
    });
  } catch (error) {
    if (hadOld) await rename(aside, to);
    throw error;
  }
  if (hadOld) await rm(aside, { recursive: true, force: true });
}
