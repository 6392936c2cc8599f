import { mkdir, readdir, symlink } from "node:fs/promises";
import path from "node:path";

/** The search path with one program less, in a folder that it makes. */
export async function pathWithout(name: string, folder: string): Promise<string> {
  await mkdir(folder);
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((one) => one !== "");
  const seen = new Set([name]);
  for (const one of folders) {
    for (const file of await readdir(one).catch(() => [])) {
      if (seen.has(file)) continue;
      seen.add(file);
      await symlink(path.join(one, file), path.join(folder, file));
    }
  }
  return folder;
}
