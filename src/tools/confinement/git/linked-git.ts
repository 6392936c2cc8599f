import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { settingsIn } from "./git-settings.ts";

/** What git writes of a repository that lies elsewhere, when it works in one of its linked worktrees. */
export interface LinkedGit {
  readonly writable: readonly string[];
  /** In there, and not to be changed: these say where the repository is, and how git behaves. */
  readonly guarded: readonly string[];
}

/**
 * The repository of a linked worktree. A program could write a `.git` that points anywhere, so only what points back counts:
 * the entry of this worktree, in its place below the repository, where nothing behind the wall can make one.
 */
export function linkedGitOf(workspace: string): LinkedGit | undefined {
  const pointer = path.join(workspace, ".git");
  const named = /^gitdir: (.+)$/m.exec(textOf(pointer) ?? "")?.[1];
  const entry = named === undefined ? undefined : realPath(path.resolve(workspace, named));
  if (entry === undefined || path.basename(path.dirname(entry)) !== "worktrees") return undefined;
  const common = path.dirname(path.dirname(entry));
  const back = textOf(path.join(entry, "gitdir"))?.trim();
  if (back === undefined || realPath(path.resolve(entry, back)) !== pointer) return undefined;
  const ownSettings = path.join(entry, "config.worktree");
  const hasOwnSettings = settingsIn(textOf(path.join(common, "config")) ?? "").some((setting) =>
    setting.startsWith("extensions.worktreeconfig="),
  );
  // What is not there cannot be kept from being made.
  if (hasOwnSettings && !existsSync(ownSettings)) return undefined;
  return {
    writable: ["objects", "refs", "logs"]
      .map((name) => path.join(common, name))
      .filter((folder) => realPath(folder) === folder)
      .concat(entry),
    guarded: [pointer, path.join(entry, "commondir"), path.join(entry, "gitdir"), ownSettings],
  };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not there, or a folder as in an ordinary repository.
    return undefined;
  }
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}
