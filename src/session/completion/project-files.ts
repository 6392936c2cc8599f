import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { findExecutable, ownEnvironment } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import type { Clock } from "#foundation/time/clock";

const mostFiles = 5_000;
const cacheMs = 5_000;
const timeoutMs = 2_000;
const skipped = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
  "dist",
  "build",
  "target",
  ".cache",
  ".next",
]);

/** The files of a project, as far as completion needs them: bounded, and read again only after some seconds. */
export class ProjectFiles {
  readonly #clock: Clock;
  readonly #env: NodeJS.ProcessEnv;
  #known: { readonly root: string; readonly atMs: number; readonly files: readonly string[] } | undefined;

  constructor(clock: Clock, env: NodeJS.ProcessEnv) {
    this.#clock = clock;
    this.#env = env;
  }

  /** Paths relative to the folder, with `/`. */
  async list(root: string, signal: AbortSignal): Promise<readonly string[]> {
    const nowMs = this.#clock.now();
    if (this.#known?.root === root && nowMs - this.#known.atMs < cacheMs) return this.#known.files;
    const files = (await this.#listed(root, signal)) ?? (await walk(root, signal));
    this.#known = { root, atMs: nowMs, files };
    return files;
  }

  /** What ripgrep lists, which knows ignore files; undefined when it is not there or fails. */
  async #listed(root: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const env = ownEnvironment(this.#env, [root]);
    const program = findExecutable("rg", env);
    if (program === undefined) return undefined;
    const options = { cwd: root, env, signal, timeoutMs };
    const ended = await runProcess(program, ["--files", "--hidden", "--glob", "!.git", "--no-messages"], options);
    signal.throwIfAborted();
    if (ended.stdout === "") return undefined;
    return ended.stdout
      .split("\n")
      .filter(Boolean)
      .slice(0, mostFiles)
      .map((path) => path.split(sep).join("/"));
  }
}

async function walk(root: string, signal: AbortSignal): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [root];
  for (let folder = folders.shift(); folder !== undefined && files.length < mostFiles; folder = folders.shift()) {
    signal.throwIfAborted();
    for (const entry of await entriesOf(folder)) {
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(join(folder, entry.name));
      else if (entry.isFile() && files.length < mostFiles)
        files.push(relative(root, join(folder, entry.name)).split(sep).join("/"));
    }
  }
  return files;
}

/** A folder that cannot be read has nothing to offer. */
async function entriesOf(folder: string) {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
}
