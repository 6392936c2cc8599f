import { cp, lstat, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import type { BackendDeps } from "./backend.ts";

/** Something of the home here that terminals elsewhere can read, by its name below `.hermes` there. */
export interface FollowedFile {
  readonly host: string;
  readonly name: string;
  readonly isCredential: boolean;
}

const caches = ["documents", "images", "audio", "screenshots"];

/** The folders among them, by their names below `.hermes`. */
export const followedFolders: readonly string[] = ["skills", ...caches.map((name) => `cache/${name}`)];

/** What follows a session into its terminal: the credential files a person named, skills, and what was downloaded for it. */
export async function followedFiles(deps: BackendDeps): Promise<readonly FollowedFile[]> {
  const { hermesHome, settings, logger } = deps;
  const credentials = settings.credential_files.flatMap((name): FollowedFile[] => {
    const host = path.resolve(hermesHome, name);
    const inside = path.relative(hermesHome, host);
    if (inside !== "" && !inside.startsWith("..") && !path.isAbsolute(inside))
      return [{ host, name: inside, isCredential: true }];
    logger.warn("a credential file lies outside the home of Hermes and does not follow", { name });
    return [];
  });
  const folders = followedFolders.map((name) => ({ host: path.join(hermesHome, name), name }));
  const wanted = [...credentials, ...folders.map((one) => ({ ...one, isCredential: false }))];
  const there = await Promise.all(wanted.map((one) => isThere(one.host)));
  return wanted.filter((_one, index) => there[index]);
}

/** A folder to mount in place of another: itself, or a copy without links when there are any, which would lead elsewhere inside. */
export async function withoutLinks(folder: string, copy: string): Promise<string> {
  if (!(await stat(folder)).isDirectory() || !(await hasLink(folder))) return folder;
  await rm(copy, { recursive: true, force: true });
  await ensureDir(path.dirname(copy), 0o700);
  await cp(folder, copy, { recursive: true, filter: async (from) => !(await lstat(from)).isSymbolicLink() });
  return copy;
}

async function hasLink(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.some((entry) => entry.isSymbolicLink());
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}
