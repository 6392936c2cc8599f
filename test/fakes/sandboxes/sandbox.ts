import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { IPty } from "@lydell/node-pty";

const run = promisify(execFile);

/** Why services cannot be played here; undefined when they can. */
export function sandboxesMissing(): string | undefined {
  if (process.platform !== "linux") return "its sandboxes need Linux";
  return process.getuid?.() === 0 ? undefined : "its sandboxes need root";
}

/** What a service in the cloud runs for somebody: files and processes of their own, made of namespaces of this machine. */
export class Sandbox {
  readonly id: string;
  readonly root: string;
  readonly #holder: ChildProcess;
  readonly #first: number;

  private constructor(
    id: string,
    at: { readonly root: string; readonly holder: ChildProcess; readonly first: number },
  ) {
    this.id = id;
    this.root = at.root;
    this.#holder = at.holder;
    this.#first = at.first;
  }

  /** `files` is copied, unless it is already the sandbox's own. */
  static async start(
    id: string,
    { files, folder }: { readonly files: string; readonly folder: string },
  ): Promise<Sandbox> {
    const root = files.startsWith(`${folder}${path.sep}own-`) ? files : await mkdtemp(path.join(folder, "own-"));
    if (root !== files) await run("cp", ["-a", `${files}/.`, root]);
    const setUp =
      'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && echo up && exec chroot "$1" sleep infinity';
    const args = ["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", setUp, "sh", root];
    const holder = spawn("unshare", args, { stdio: ["ignore", "pipe", "inherit"] });
    const { stdout } = holder;
    if (stdout === null) throw new Error("no pipe");
    await once(stdout, "data");
    const children = await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8");
    return new Sandbox(id, { root, holder, first: Number(children.trim().split(" ")[0]) });
  }

  get isRunning(): boolean {
    return this.#holder.exitCode === null && this.#holder.signalCode === null;
  }

  /** Runs a program inside; ending the client here does not end it. */
  exec(argv: readonly string[], cwd = "/"): ChildProcess {
    return spawn("nsenter", this.#enter(argv, cwd), { stdio: ["pipe", "pipe", "pipe"], detached: true });
  }

  /** The same under a pseudo-terminal of 24 by 80. */
  async execUnderPty(argv: readonly string[], cwd = "/"): Promise<IPty> {
    const { spawn: spawnPty } = await import("@lydell/node-pty");
    return spawnPty("nsenter", this.#enter(argv, cwd), {
      rows: 24,
      cols: 80,
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
    });
  }

  #enter(argv: readonly string[], cwd: string): string[] {
    const inside = [
      "env",
      "-i",
      `--chdir=${cwd}`,
      "HOME=/root",
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "LANG=C.UTF-8",
      ...argv,
    ];
    return ["-t", String(this.#first), "-m", "-p", "chroot", this.root, ...inside];
  }

  /** Processes end, files stay. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    process.kill(this.#first, "SIGKILL");
    await once(this.#holder, "exit");
  }

  async copyFiles(to: string): Promise<void> {
    // What is mounted below is mounted inside only.
    await mkdir(to, { recursive: true });
    await run("cp", ["-a", `${this.root}/.`, to]);
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.root, { recursive: true, force: true });
  }
}
