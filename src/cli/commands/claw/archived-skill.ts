import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { safeJoin } from "#foundation/files/files";
import type { Migration } from "./step.ts";

/** A skill that is not used, as plain files to review by hand. */
export async function writeArchivedSkill(
  { folder }: Migration,
  name: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const root = path.join(folder, "archive", "skills", name);
  for (const [file, bytes] of files) {
    const target = safeJoin(root, file);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, bytes, { flag: "wx", mode: 0o600 });
  }
}
