import { lstatSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { holdBelow, holdFile } from "#foundation/files/held-folder";
import { isWithin } from "../confinement.ts";

/** What of a repository starts programs, or says where it is. Nothing here follows a link: a program could have put one anywhere. */
export interface RepositoryFacts {
  /** Undefined where there is none, or one that nobody would have written. */
  readonly config: string | undefined;
  readonly hooks: ReadonlyMap<string, Buffer>;
  /** Which of its parts are links; `.` for a repository that is elsewhere altogether. */
  readonly links: readonly string[];
}

export const noRepository: RepositoryFacts = { config: undefined, hooks: new Map(), links: [] };

const maxBytes = 1_048_576;
const moduleDepth = 3;

/** `folder` is relative to the workspace. */
export function factsOf(workspace: string, folder: string): RepositoryFacts {
  using held = holdBelow(workspace, folder);
  if (held === undefined) return leadsElsewhere(workspace, folder) ? { ...noRepository, links: ["."] } : noRepository;
  const config = bytesOf(workspace, `${folder}/config`);
  const hooks = namesIn(workspace, `${folder}/hooks`).filter((name) => !name.endsWith(".sample"));
  return {
    config: config?.toString("utf8"),
    hooks: new Map(hooks.map((name) => [name, bytesOf(workspace, `${folder}/hooks/${name}`) ?? Buffer.alloc(0)])),
    links: ["config", "hooks"].filter((name) => lstatSync(held.at(name), { throwIfNoEntry: false })?.isSymbolicLink()),
  };
}

/** The repositories of submodules, which lie in that of the project. */
export function modulesOf(workspace: string, folder: string, depth = 0): readonly string[] {
  return namesIn(workspace, folder).flatMap((name) => {
    const inner = `${folder}/${name}`;
    if (namesIn(workspace, inner).includes("HEAD")) return [inner, ...modulesOf(workspace, `${inner}/modules`)];
    return depth < moduleDepth ? modulesOf(workspace, inner, depth + 1) : [];
  });
}

export interface Change {
  readonly before: RepositoryFacts;
  readonly after: RepositoryFacts;
}

/** Links and hooks that were not there go, hooks that were changed are as they were; their names. */
export function dropNewStarters(workspace: string, folder: string, { before, after }: Change): readonly string[] {
  const links = after.links.filter((name) => !before.links.includes(name));
  for (const name of links) remove(workspace, path.posix.join(folder, name));
  const hooks = [...after.hooks].filter(([name, bytes]) => before.hooks.get(name)?.equals(bytes) !== true);
  for (const [name] of hooks) {
    const known = before.hooks.get(name);
    remove(workspace, `${folder}/hooks/${name}`);
    if (known !== undefined) putBack(workspace, `${folder}/hooks/${name}`, { bytes: known, mode: 0o755 });
  }
  return [...links, ...hooks.map(([name]) => `hooks/${name}`)];
}

export function putBack(
  workspace: string,
  file: string,
  { bytes, mode }: { readonly bytes: string | Buffer; readonly mode: number },
): void {
  remove(workspace, file);
  using held = holdBelow(workspace, path.posix.dirname(file));
  if (held !== undefined) writeFileSync(held.at(path.posix.basename(file)), bytes, { mode, flag: "wx" });
}

function remove(workspace: string, file: string): void {
  using held = holdBelow(workspace, path.posix.dirname(file));
  if (held !== undefined) rmSync(held.at(path.posix.basename(file)), { recursive: true, force: true });
}

/** A `.git` that is a link or a file, as in submodules and worktrees, and leads to something that is not in a repository of the project. */
function leadsElsewhere(workspace: string, folder: string): boolean {
  const file = path.join(workspace, folder);
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return false;
  const named = /^gitdir: (.+)$/m.exec(bytesOf(workspace, folder)?.toString("utf8") ?? "")?.[1];
  if (!facts.isSymbolicLink() && named === undefined) return false;
  try {
    const target = realpathSync(named === undefined ? file : path.resolve(path.dirname(file), named));
    return !isWithin(workspace, target) || !/\/\.git\/(?:modules|worktrees)\//.test(target);
  } catch {
    // Nothing is there: git finds nothing either, until somebody puts it there.
    return true;
  }
}

/** Undefined also for what nobody writes by hand: a program may have made it as large as the disk. */
function bytesOf(workspace: string, file: string): Buffer | undefined {
  try {
    using held = holdFile(workspace, file);
    return held === undefined || statSync(held.path).size > maxBytes ? undefined : readFileSync(held.path);
  } catch {
    // Not there, or closed to us.
    return undefined;
  }
}

function namesIn(workspace: string, folder: string): readonly string[] {
  try {
    using held = holdBelow(workspace, folder);
    return held === undefined ? [] : readdirSync(held.path);
  } catch {
    return [];
  }
}
