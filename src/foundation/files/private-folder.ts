import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { UserError } from "../errors.ts";
import { isAlive } from "../process/alive.ts";

/** Sockets have short names. */
const longestBase = 60;

/** The folder, below the one for temporary files, that holds all that running programs keep for themselves. Commands see none of it but their own. */
export async function privateRoot(tempDir: string): Promise<string> {
  const user = process.getuid?.();
  const base = tempDir.length < longestBase ? tempDir : "/tmp";
  const root = path.join(base, user === undefined ? "hermes" : `hermes-${user}`);
  await mkdir(root, { mode: 0o700, recursive: true });
  const found = await lstat(root);
  const isOurs = found.isDirectory() && (user === undefined || (found.uid === user && (found.mode & 0o077) === 0));
  if (isOurs) return root;
  throw new UserError(`${root} is not a folder that belongs to you alone.`, {
    hint: "Somebody else made it. Remove it, or set TMPDIR to a folder of your own.",
  });
}

/** A new folder that only this user can enter. Its name says whose it is, so that a crash leaves nothing for ever. */
export async function makePrivateFolder(
  tempDir: string,
  purpose: "terminal" | "code" | "net" | "docker" | "pull",
): Promise<string> {
  const root = await privateRoot(tempDir);
  await sweep(root);
  return mkdtemp(path.join(root, `${purpose}-${process.pid}-`));
}

/** Removes folders of programs that are gone. */
async function sweep(root: string): Promise<void> {
  const names = await readdir(root);
  const stale = names.filter((name) => {
    const owner = /^[a-z]+-(\d+)-\w{6}$/.exec(name)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  await Promise.all(
    stale.map((name) => rm(path.join(root, name), { recursive: true, force: true }).catch(() => undefined)),
  );
}
