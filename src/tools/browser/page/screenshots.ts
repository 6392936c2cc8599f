import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { newId } from "#foundation/text/ids";

const keptMs = 24 * 3_600_000;

/** Keeps a screenshot, and drops those older than a day. */
export async function keepScreenshot(png: Uint8Array, folder: string, nowMs: number): Promise<string> {
  await ensureDir(folder, 0o700);
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const facts = await stat(file).catch(() => undefined);
    if (facts?.isFile() === true && nowMs - facts.mtimeMs > keptMs) await rm(file, { force: true });
  }
  const target = path.join(folder, `${newId("shot")}.png`);
  await writeFileAtomic(target, png, { mode: 0o600 });
  return target;
}
