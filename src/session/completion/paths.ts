import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { byteSize } from "#foundation/text/figures";

const mostEntries = 30;

export interface PathEntry {
  /** As it is typed: with the beginning that was there. */
  readonly text: string;
  readonly name: string;
  readonly isFolder: boolean;
  /** Size of a file for people, or `folder`. */
  readonly detail: string;
}

export function looksLikePath(word: string): boolean {
  return /^(\.{1,2}\/|~\/|\/)/.test(word) || word.includes("/");
}

/** What is in the folder that was typed so far and begins with the rest. */
export async function pathEntries(
  typed: string,
  where: { readonly cwd: string; readonly only?: "folders" },
  signal: AbortSignal,
): Promise<readonly PathEntry[]> {
  const cut = typed.lastIndexOf("/") + 1;
  const [before, beginning] = [typed.slice(0, cut), typed.slice(cut)];
  const folder = folderOf(before, where.cwd);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const wanted = entries
    .filter((entry) => entry.name.toLowerCase().startsWith(beginning.toLowerCase()))
    .filter((entry) => beginning.startsWith(".") || !entry.name.startsWith("."))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  const found: PathEntry[] = [];
  for (const entry of wanted) {
    if (found.length >= mostEntries || signal.aborted) break;
    const facts = await stat(join(folder, entry.name)).catch(() => undefined);
    const isFolder = facts?.isDirectory() ?? entry.isDirectory();
    if (where.only === "folders" && !isFolder) continue;
    found.push({
      text: `${before}${entry.name}${isFolder ? "/" : ""}`,
      name: entry.name,
      isFolder,
      detail: isFolder ? "folder" : byteSize(facts?.size ?? 0),
    });
  }
  return found;
}

function folderOf(before: string, cwd: string): string {
  if (before === "") return cwd;
  if (before.startsWith("~/")) return join(homedir(), before.slice(2));
  return isAbsolute(before) ? before : resolve(cwd, before);
}
