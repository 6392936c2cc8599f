import fs from "node:fs/promises";
import path from "node:path";
import { ensureDir } from "#foundation/files/files";
import { type ProcessResult, runProcess } from "#foundation/process/run";

/** What a snapshot never holds: rebuilt, secret, or the user's own history. */
const excludes = [
  "node_modules/",
  "dist/",
  "build/",
  ".env*",
  "__pycache__/",
  "*.pyc",
  "*.pyo",
  ".DS_Store",
  "*.log",
  ".cache/",
  ".next/",
  ".nuxt/",
  "coverage/",
  ".pytest_cache/",
  ".venv/",
  "venv/",
  ".git/",
];

const maxOutputBytes = 8 * 1024 * 1024;

/** Git with a repository of our own beside a work tree of the user's; the user's settings and hooks play no part. */
export class ShadowGit {
  readonly #gitDir: string;
  readonly #workTree: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #timeoutMs: number;

  constructor(
    place: { readonly gitDir: string; readonly workTree: string },
    env: NodeJS.ProcessEnv,
    timeoutMs: number,
  ) {
    this.#gitDir = place.gitDir;
    this.#workTree = place.workTree;
    this.#timeoutMs = timeoutMs;
    this.#env = {
      PATH: env["PATH"] ?? "",
      HOME: place.gitDir,
      GIT_DIR: place.gitDir,
      GIT_WORK_TREE: place.workTree,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: "Hermes",
      GIT_AUTHOR_EMAIL: "hermes@localhost",
      GIT_COMMITTER_NAME: "Hermes",
      GIT_COMMITTER_EMAIL: "hermes@localhost",
      LC_ALL: "C",
    };
  }

  async prepare(signal: AbortSignal): Promise<void> {
    if (await isFile(path.join(this.#gitDir, "HEAD"))) return;
    await ensureDir(this.#gitDir, 0o700);
    await this.run(["init", "--quiet"], signal);
    for (const [key, value] of [
      ["commit.gpgsign", "false"],
      ["core.hooksPath", "/dev/null"],
      ["core.autocrlf", "false"],
      ["gc.auto", "0"],
    ]) {
      await this.run(["config", key ?? "", value ?? ""], signal);
    }
    await fs.mkdir(path.join(this.#gitDir, "info"), { recursive: true });
    await fs.writeFile(path.join(this.#gitDir, "info", "exclude"), `${excludes.join("\n")}\n`);
    await fs.writeFile(path.join(this.#gitDir, "HERMES_WORKDIR"), `${this.#workTree}\n`);
  }

  /** History begins with this commit from now on. */
  async makeShallow(commit: string): Promise<void> {
    await fs.writeFile(path.join(this.#gitDir, "shallow"), `${commit}\n`);
  }

  /** Standard output; a failing git is an error with its own words. */
  async run(args: readonly string[], signal: AbortSignal): Promise<string> {
    const done = await this.attempt(args, signal);
    if (done.exitCode === 0) return done.stdout;
    throw new Error(
      `git ${args[0] ?? ""} failed: ${(done.stderr || done.stdout).trim().slice(0, 500) || `exit ${done.exitCode}`}`,
    );
  }

  attempt(args: readonly string[], signal: AbortSignal): Promise<ProcessResult> {
    return runProcess("git", [...args], {
      cwd: this.#workTree,
      env: this.#env,
      signal,
      timeoutMs: this.#timeoutMs,
      maxOutputBytes,
    });
  }
}

async function isFile(file: string): Promise<boolean> {
  return fs.stat(file).then(
    (facts) => facts.isFile(),
    () => false,
  );
}
