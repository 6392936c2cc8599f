import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { WorkspaceFiles } from "./workspace-files.ts";

/** Where a session looks for the project's files: `TERMINAL_CWD` when set (gateways set it), else the working directory. */
export function startDirectory(env: NodeJS.ProcessEnv, cwd: string): string {
  const chosen = env.TERMINAL_CWD?.trim() ?? "";
  return chosen === "" ? resolve(cwd) : resolve(cwd, expandHome(chosen, env.HOME?.trim() || homedir()));
}

export function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

/** The nearest folder at or above `folder` that holds `.git` (a folder, or the file of a worktree). */
export async function gitRootOf(folder: string, files: WorkspaceFiles): Promise<string | undefined> {
  for (const candidate of upwards(folder)) {
    if ((await files.kindOf(join(candidate, ".git"))) !== "absent") return candidate;
  }
  return undefined;
}

/** The folder and its ancestors, nearest first, up to and including `last` (default: the root of the disk). */
export function upwards(folder: string, last?: string): readonly string[] {
  const folders: string[] = [];
  for (let current = resolve(folder); ; current = dirname(current)) {
    folders.push(current);
    if (current === last || dirname(current) === current) return folders;
  }
}

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
