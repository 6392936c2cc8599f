import { mkdtemp, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { isAlive } from "#foundation/process/alive";

/** A new folder that only this user can enter. Its name says whose it is, so that a crash leaves nothing for ever. */
export async function makePrivateFolder(tempDir: string, purpose: "terminal" | "code"): Promise<string> {
  await sweep(tempDir);
  return mkdtemp(path.join(tempDir, `hermes-${purpose}-${process.pid}-`));
}

/** Removes folders of programs that are gone. */
async function sweep(tempDir: string): Promise<void> {
  const names = await readdir(tempDir).catch(() => []);
  const stale = names.filter((name) => {
    const owner = /^hermes-(?:terminal|code)-(\d+)-\w{6}$/.exec(name)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  // Another user's folder cannot be removed, and need not be.
  await Promise.all(
    stale.map((name) => rm(path.join(tempDir, name), { recursive: true, force: true }).catch(() => undefined)),
  );
}
