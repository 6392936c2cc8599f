import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

export const root = path.join(import.meta.dirname, "..", "..", "..");
export const main = path.join(root, "dist", "cli", "main.js");

export interface StageOptions {
  /** The text of `config.yaml`. */
  readonly config?: string;
  /** The text of `.env` in the Hermes home. */
  readonly env?: string;
  /** Files in the folder the program works in. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A Hermes home, a folder to work in, and the built program in them; everything is gone afterwards. */
export class Stage implements AsyncDisposable {
  readonly folder: string;
  readonly home: string;
  readonly work: string;
  readonly #children = new Set<ChildProcess>();

  private constructor(folder: string) {
    this.folder = folder;
    this.home = path.join(folder, "home");
    this.work = path.join(folder, "work");
  }

  static async open({ config, env, files = {} }: StageOptions = {}): Promise<Stage> {
    const stage = new Stage(await mkdtemp(path.join(tmpdir(), "hermes-e2e-")));
    await Promise.all([mkdir(stage.home), mkdir(stage.work), mkdir(path.join(stage.folder, "user"))]);
    if (config !== undefined) await writeFile(path.join(stage.home, "config.yaml"), config);
    if (env !== undefined) await writeFile(path.join(stage.home, ".env"), env, { mode: 0o600 });
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(stage.work, name)), { recursive: true });
      await writeFile(path.join(stage.work, name), text);
    }
    return stage;
  }

  /** Nothing of the machine's own settings and keys reaches the program. */
  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: path.join(this.folder, "user"),
      HERMES_HOME: this.home,
      LANG: "C.UTF-8",
      ...more,
    };
  }

  /** Starts the program; it is killed with the stage at the latest. */
  start(args: readonly string[], { input, env }: RunOptions = {}): ChildProcess {
    const child = spawn(process.execPath, [main, ...args], { cwd: this.work, env: this.environment(env) });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
    return child;
  }

  /** Runs the program to its end. */
  run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return ended(this.start(args, options));
  }

  /** A one-shot question whose answer is one JSON document. */
  async ask(question: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await this.run(["chat", "-q", question, "--json", ...args]);
    try {
      return JSON.parse(stdout) as Record<string, unknown>;
    } catch (cause) {
      throw new Error(`No JSON came back.\nstdout: ${stdout}\nstderr: ${stderr}`, { cause });
    }
  }

  /** Every stored message of a session, as `sessions export` tells it. */
  async messages(sessionId: string): Promise<readonly StoredMessage[]> {
    const { stdout, stderr } = await this.run(["sessions", "export", "-", "--session-id", sessionId]);
    const line = stdout.split("\n").find((one) => one.startsWith("{"));
    if (line === undefined) throw new Error(`Nothing was exported: ${stdout}${stderr}`);
    return (JSON.parse(line) as { readonly messages: readonly StoredMessage[] }).messages;
  }

  /** Writes `config.yaml`. */
  configure(text: string): Promise<void> {
    return writeFile(path.join(this.home, "config.yaml"), text);
  }

  /** The text of a file in the folder the program works in. */
  read(name: string): Promise<string> {
    return readFile(path.resolve(this.work, name), "utf8");
  }

  /** The files below a folder whose bytes hold the text. */
  async filesWith(text: string, folder = this.home): Promise<readonly string[]> {
    const found: string[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      if ((await readFile(file)).includes(text)) found.push(path.relative(folder, file));
    }
    return found.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

export interface StoredMessage {
  readonly role: string;
  readonly uid?: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** What a child said and how it ended. */
export function ended(child: ChildProcess): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** Settings that make the fake model server the provider of everything. */
export function modelConfig(baseUrl: string, more = ""): string {
  return `model:\n  provider: custom\n  base_url: ${baseUrl}\n  default: fake-model\n${more}`;
}
