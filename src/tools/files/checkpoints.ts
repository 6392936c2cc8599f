import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { describe, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { KeyedMutex } from "#foundation/lifecycle/mutex";
import { ShadowGit } from "./checkpoint-git.ts";

export interface CheckpointOptions {
  /** Folder for the shadow repositories. */
  readonly folder: string;
  readonly maxSnapshots: number;
  readonly timeoutMs: number;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
}

export interface Checkpoint {
  readonly hash: string;
  readonly short: string;
  readonly atMs: number;
  readonly reason: string;
}

const rootMarks = [
  ".git",
  "pyproject.toml",
  "package.json",
  "Cargo.toml",
  "go.mod",
  "Makefile",
  "pom.xml",
  ".hg",
  "Gemfile",
];
const maxFiles = 50_000;

/**
 * Snapshots of a project before Hermes changes it, in a git repository of its own.
 *
 * 1. A snapshot never fails the change it stands before; it is logged and left out.
 * 2. One snapshot per project and turn, taken before the first change.
 * 3. The user's own repository is never touched.
 */
export class Checkpoints {
  readonly #options: CheckpointOptions;
  readonly #locks = new KeyedMutex<string>();
  /** By the turn, which all its calls know by its signal. */
  readonly #taken = new WeakMap<AbortSignal, Set<string>>();

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  /** The signal is that of the turn: with another one each project may be snapshotted again. */
  async before(change: {
    readonly paths: readonly string[];
    readonly reason: string;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const taken = this.#taken.get(change.signal) ?? new Set<string>();
    this.#taken.set(change.signal, taken);
    for (const root of new Set(await Promise.all(change.paths.map((one) => this.rootOf(one))))) {
      if (root === undefined || taken.has(root)) continue;
      taken.add(root);
      try {
        await this.#locks.run(root, () => this.#snapshot(root, change.reason, change.signal));
      } catch (error) {
        if (change.signal.aborted) throw error;
        this.#options.logger.warn("no checkpoint was made", { root, error: describe(error) });
      }
    }
  }

  /** Newest first. */
  async list(root: string, signal: AbortSignal): Promise<readonly Checkpoint[]> {
    const newest = `--max-count=${this.#options.maxSnapshots}`;
    const log = await this.#git(root).attempt(["log", newest, "--format=%H%x09%h%x09%ct%x09%s"], signal);
    if (log.exitCode !== 0) return [];
    return log.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [hash = "", short = "", seconds = "0", ...reason] = line.split("\t");
        return { hash, short, atMs: Number(seconds) * 1000, reason: reason.join("\t") };
      });
  }

  /** What changed between a checkpoint and now. */
  async diff(root: string, hash: string, signal: AbortSignal): Promise<string> {
    const git = this.#git(root);
    await git.run(["add", "--all"], signal);
    return git.run(["diff", "--cached", checkedHash(hash)], signal);
  }

  /** Brings back files as they were, one or all, after a snapshot of how they are. Files made since then go. */
  async restore(
    root: string,
    wish: { readonly hash: string; readonly file?: string },
    signal: AbortSignal,
  ): Promise<RestoreReport> {
    const hash = checkedHash(wish.hash);
    const file = wish.file === undefined ? undefined : checkedFile(root, wish.file);
    return this.#locks.run(root, async () => {
      const git = this.#git(root);
      await this.#snapshot(root, `before going back to ${hash.slice(0, 8)}`, signal);
      if (file !== undefined) {
        await git.run(["checkout", "--quiet", hash, "--", file], signal);
        return { restored: [file], removed: [] };
      }
      const created = lines(
        await git.run(["diff", "--name-only", "--diff-filter=A", "-z", hash, "HEAD"], signal),
        "\u0000",
      );
      const changed = lines(
        await git.run(["diff", "--name-only", "--diff-filter=MDT", "-z", hash, "HEAD"], signal),
        "\u0000",
      );
      await git.run(["checkout", "--quiet", hash, "--", "."], signal);
      for (const one of created) await fs.rm(path.join(root, one), { force: true });
      return { restored: changed, removed: created };
    });
  }

  /** The project a path belongs to; undefined where a snapshot would be too much: the root, the home. */
  async rootOf(file: string): Promise<string | undefined> {
    const start = path.dirname(path.resolve(file));
    let folder = start;
    for (;;) {
      if (folder === this.#options.home || path.dirname(folder) === folder) break;
      for (const mark of rootMarks) if (await exists(path.join(folder, mark))) return folder;
      folder = path.dirname(folder);
    }
    return start === this.#options.home || path.dirname(start) === start ? undefined : start;
  }

  async #snapshot(root: string, reason: string, signal: AbortSignal): Promise<void> {
    if (!(await exists(root))) return;
    if (await hasTooMany(root)) {
      this.#options.logger.info("no checkpoint: the folder has too many files", { root });
      return;
    }
    const git = this.#git(root);
    await git.prepare(signal);
    await git.run(["add", "--all"], signal);
    const isFirst = (await git.attempt(["rev-parse", "--verify", "--quiet", "HEAD"], signal)).exitCode !== 0;
    const isChanged = isFirst || (await git.attempt(["diff", "--cached", "--quiet", "HEAD"], signal)).exitCode !== 0;
    if (!isChanged) return;
    await git.run(["commit", "--quiet", "--allow-empty", "--no-verify", "-m", reason], signal);
    await this.#prune(git, signal);
  }

  /**
   * Drops the oldest snapshots, a few at a time because collecting them costs. The oldest kept one is
   * declared the beginning of history, as in a shallow clone, so no id changes.
   */
  async #prune(git: ShadowGit, signal: AbortSignal): Promise<void> {
    const { maxSnapshots } = this.#options;
    const all = lines(await git.run(["rev-list", "HEAD"], signal), "\n");
    const oldest = all[maxSnapshots - 1];
    if (oldest === undefined || all.length <= maxSnapshots + Math.ceil(maxSnapshots / 5)) return;
    await git.makeShallow(oldest);
    await git.run(["reflog", "expire", "--expire=now", "--all"], signal);
    await git.run(["gc", "--quiet", "--prune=now"], signal);
  }

  #git(root: string): ShadowGit {
    const name = createHash("sha256").update(path.resolve(root)).digest("hex").slice(0, 16);
    const place = { gitDir: path.join(this.#options.folder, name), workTree: path.resolve(root) };
    return new ShadowGit(place, this.#options.env, this.#options.timeoutMs);
  }
}

export interface RestoreReport {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

function checkedHash(hash: string): string {
  if (/^[0-9a-f]{4,64}$/i.test(hash)) return hash;
  throw new UserError(`"${hash}" is not a checkpoint id.`, {
    hint: "List the checkpoints first; an id has 4 to 64 hexadecimal digits.",
  });
}

function checkedFile(root: string, file: string): string {
  const inside = path.relative(root, path.resolve(root, file));
  if (!path.isAbsolute(file) && inside !== "" && !inside.startsWith("..")) return inside;
  throw new UserError(`"${file}" does not lie inside ${root}.`, { hint: "Give the path relative to the project." });
}

function lines(text: string, separator: string): readonly string[] {
  return text
    .split(separator)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

async function hasTooMany(root: string): Promise<boolean> {
  let count = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name === ".git" || entry.name === "node_modules") continue;
      count += 1;
      if (count > maxFiles) return true;
      if (entry.isDirectory()) folders.push(path.join(folder, entry.name));
    }
  }
  return false;
}

async function exists(file: string): Promise<boolean> {
  return fs.stat(file).then(
    () => true,
    () => false,
  );
}
