import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import path from "node:path";
import { ensureDir } from "#foundation/files/files";
import { isAlive } from "#foundation/process/alive";
import { killGroup } from "#foundation/process/run";

const shape = /^(\d+)-/;

/** A fresh profile folder that carries the id of the process that owns it. */
export async function createProfile(root: string): Promise<string> {
  await ensureDir(root, 0o700);
  return mkdtemp(path.join(root, `${process.pid}-`));
}

/** Removes profiles whose owner is gone, and ends a browser that still runs on one. */
export async function reapProfiles(root: string): Promise<readonly string[]> {
  const reaped: string[] = [];
  const entries = await readdir(root).catch(() => []);
  for (const entry of entries) {
    const owner = Number(shape.exec(entry)?.[1]);
    if (!Number.isInteger(owner) || isAlive(owner)) continue;
    const profile = path.join(root, entry);
    await endBrowser(profile);
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    reaped.push(entry);
  }
  return reaped;
}

/** Chromium names its process in a link; the command line must agree, since process ids are used again. */
async function endBrowser(profile: string): Promise<void> {
  const lock = await readlink(path.join(profile, "SingletonLock")).catch(() => undefined);
  const pid = Number(lock?.split("-").at(-1));
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return;
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  if (command.includes(profile)) await killGroup(pid, { graceMs: 500 });
}
