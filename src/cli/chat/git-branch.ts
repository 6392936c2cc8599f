import path from "node:path";
import { readTextFile } from "#foundation/files/files";

const maxBytes = 4096;

/** The branch a folder is on, read from git's own files: no program is started. Undefined outside of a repository. */
export async function gitBranch(folder: string): Promise<string | undefined> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const head = await headIn(path.join(at, ".git"));
    if (head !== undefined) return branchOf(head);
    if (path.dirname(at) === at) return undefined;
  }
}

/** A worktree has a file there that names its folder. */
async function headIn(location: string): Promise<string | undefined> {
  const head = await read(path.join(location, "HEAD"));
  if (head !== undefined) return head;
  const pointed = /^gitdir: (.+)$/m.exec((await read(location)) ?? "")?.[1];
  return pointed === undefined ? undefined : read(path.resolve(path.dirname(location), pointed, "HEAD"));
}

/** Without a branch it is a commit, shown as git does. */
function branchOf(head: string): string | undefined {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]?.trim();
  return branch ?? /^[0-9a-f]{7}/.exec(head)?.[0];
}

/** Whatever cannot be read tells nothing about a branch. */
async function read(file: string): Promise<string | undefined> {
  try {
    return await readTextFile(file, { maxBytes });
  } catch {
    return undefined;
  }
}
