import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { UserError } from "#foundation/errors";

const mostFiles = 20_000;
const mostBytes = 500_000_000;

/** One print of all files of a folder, by name, content and being executable. The history of git is not part of it. */
export async function contentHash(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const budget = { files: mostFiles, bytes: mostBytes };
  await addFolder(folder, "", async (line, bytes) => {
    budget.files -= 1;
    budget.bytes -= bytes;
    if (budget.files < 0 || budget.bytes < 0) throw new UserError(`${folder} is too large for a plugin.`);
    hash.update(line);
  });
  return `sha256-${hash.digest("base64")}`;
}

async function addFolder(
  root: string,
  below: string,
  add: (line: string, bytes: number) => Promise<void>,
): Promise<void> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    const file = path.join(root, name);
    if (name === ".git") continue;
    if (entry.isDirectory()) await addFolder(root, name, add);
    else if (entry.isSymbolicLink()) await add(`link ${JSON.stringify(name)} ${await linkInside(root, file)}\n`, 0);
    else if (entry.isFile()) {
      const [facts, bytes] = [await lstat(file), await readFile(file)];
      const kind = (facts.mode & 0o111) === 0 ? "file" : "program";
      const print = createHash("sha256").update(bytes).digest("hex");
      await add(`${kind} ${JSON.stringify(name)} ${print}\n`, bytes.byteLength);
    } else throw new UserError(`${file} is neither a file nor a folder; a plugin may not contain it.`);
  }
}

/** A link that leads out of the folder could change without being noticed. */
async function linkInside(root: string, file: string): Promise<string> {
  const target = await readlink(file);
  const resolved = path.resolve(path.dirname(file), target);
  if (path.isAbsolute(target) || !resolved.startsWith(`${path.resolve(root)}${path.sep}`))
    throw new UserError(`${file} is a link that leads out of the plugin's folder.`);
  return JSON.stringify(target);
}
