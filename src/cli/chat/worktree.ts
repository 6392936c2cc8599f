import { randomBytes } from "node:crypto";
import { appendFile, cp, mkdir, readdir, rmdir, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { ownEnvironment } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import { exitCodes } from "../command.ts";

/** A worktree of its own for one session. */
export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** What the model has to know about where it works. */
  readonly note: string;
  /** Takes it away again, unless it holds work that is nowhere else; a line for the person when it stays. */
  close(signal: AbortSignal): Promise<string | undefined>;
}

const folderName = ".worktrees";
const staleMs = 24 * 3_600_000;

/** Makes the worktree, or stops: whoever asked for isolation must not work without it. */
export async function openWorktree(
  cwd: string,
  { env, isTrusted }: { readonly env: NodeJS.ProcessEnv; readonly isTrusted: boolean },
  signal: AbortSignal,
): Promise<Worktree> {
  const git = gitIn(cwd, env);
  const top = await git(["rev-parse", "--show-toplevel"], signal);
  if (!top.ok)
    throw new UserError("A worktree (--worktree, worktree: true) needs a git repository.", {
      hint: `Run it in a repository, or without a worktree. Tried: ${cwd}`,
      exitCode: exitCodes.failed,
    });
  const root = top.output.trim();
  await removeStale(root, env, signal);
  const name = `hermes-${randomBytes(4).toString("hex")}`;
  const folder = path.join(root, folderName, name);
  const branch = `hermes/${name}`;
  await mkdir(path.dirname(folder), { recursive: true });
  const added = await gitIn(root, env)(["worktree", "add", "-b", branch, folder, "HEAD"], signal);
  if (!added.ok)
    throw new UserError(`The worktree could not be created: ${added.output.trim()}`, {
      hint: "Commit something first, or leave out --worktree.",
      exitCode: exitCodes.failed,
    });
  await ignoreFolder(root, env, signal);
  // What a folder wants to bring along counts when a person trusts it.
  if (isTrusted) await includeFiles(root, folder);
  const note = `You work in ${folder}, a git worktree made for this session on the branch ${branch}. Stay in it: others may be at work in ${root}. Commit what should last.`;
  return { path: folder, branch, note, close: (stop) => closeWorktree({ root, folder, branch, env }, stop) };
}

interface Location {
  readonly root: string;
  readonly folder: string;
  readonly branch: string;
  readonly env: NodeJS.ProcessEnv;
}

async function closeWorktree(
  { root, folder, branch, env }: Location,
  signal: AbortSignal,
): Promise<string | undefined> {
  const kept = await whyKeep({ root, folder, env }, signal);
  if (kept !== undefined)
    return `The worktree ${folder} is kept, because it has ${kept}. Remove it with: git worktree remove --force ${folder} && git branch -D ${branch}`;
  const git = gitIn(root, env);
  await git(["worktree", "remove", "--force", folder], signal);
  await git(["branch", "-D", branch], signal);
  await removeIfEmpty(path.dirname(folder));
  return undefined;
}

/** The folder of all worktrees goes with the last of them. */
async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw error;
  }
}

/** Work that would be lost with the worktree. */
async function whyKeep(
  { root, folder, env }: Omit<Location, "branch">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const git = gitIn(folder, env);
  // What was brought along from the repository is there as well.
  const included = new Set(await includedPaths(root));
  const status = await git(["status", "--porcelain", "--untracked-files=all", "-z"], signal);
  const changed = status.output.split("\0").filter((entry) => entry !== "" && !included.has(entry.slice(3)));
  if (!status.ok || changed.length > 0) return "uncommitted changes";
  const ahead = await git(
    ["log", "--oneline", "HEAD", "--not", "--remotes", "--exclude=hermes/*", "--branches"],
    signal,
  );
  return !ahead.ok || ahead.output.trim() !== "" ? "commits that exist nowhere else" : undefined;
}

async function removeStale(root: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const parent = path.join(root, folderName);
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((one) => /^hermes-[0-9a-f]{8}$/.test(one))) {
    const folder = path.join(parent, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > staleMs) await closeWorktree({ root, folder, branch: `hermes/${name}`, env }, signal);
  }
}

/** In the list that belongs to this clone alone: the repository's own files stay as they are. */
async function ignoreFolder(root: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const git = gitIn(root, env);
  if ((await git(["check-ignore", "--quiet", `${folderName}/x`], signal)).ok) return;
  const exclude = await git(["rev-parse", "--git-path", "info/exclude"], signal);
  if (!exclude.ok) return;
  const file = path.resolve(root, exclude.output.trim());
  await mkdir(path.dirname(file), { recursive: true });
  const text = (await readTextFile(file, { maxBytes: 1024 * 1024 })) ?? "";
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${folderName}/\n`);
}

/** The lines of `.worktreeinclude` that lie inside the repository. */
async function includedPaths(root: string): Promise<readonly string[]> {
  const list = (await readTextFile(path.join(root, ".worktreeinclude"), { maxBytes: 1024 * 1024 })) ?? "";
  return list
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => path.relative(root, path.resolve(root, line)))
    .filter((inside) => inside !== "" && !inside.startsWith("..") && !path.isAbsolute(inside));
}

/** Files are copied, folders linked; nothing comes from outside the repository. */
async function includeFiles(root: string, folder: string): Promise<void> {
  for (const inside of await includedPaths(root)) {
    const from = path.join(root, inside);
    const facts = await stat(from).catch(() => undefined);
    if (facts === undefined) continue;
    const to = path.join(folder, inside);
    await mkdir(path.dirname(to), { recursive: true });
    if (facts.isDirectory()) await symlink(from, to);
    else await cp(from, to);
  }
}

function gitIn(cwd: string, env: NodeJS.ProcessEnv) {
  return async (args: readonly string[], signal: AbortSignal) => {
    // Neither hooks nor a monitor of the repository run for us.
    const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
    const done = await runProcess("git", [...quiet, ...args], {
      cwd,
      env: ownEnvironment(env, [cwd]),
      signal,
      timeoutMs: 60_000,
      maxOutputBytes: 1024 * 1024,
    });
    return { ok: done.exitCode === 0, output: done.exitCode === 0 ? done.stdout : done.stderr };
  };
}
