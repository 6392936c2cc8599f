import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { addresses } from "../world/addresses.ts";
import { programFolder } from "./program-folder.ts";

/**
 * The safety net of the harness, of which the wall knows nothing. Whatever runs inside it is an ordinary user
 * without rights, in namespaces of its own: it sees only its own processes, has no network but addresses of its own
 * loopback, no devices, and can write only into memory that is gone afterwards. `setup.sh` builds it.
 */
export interface CageOptions {
  /** A script for Node, one self-contained file. */
  readonly script: string;
  /** The built program; that of the repository when absent. */
  readonly dist?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The machine inside has no sandbox program. */
  readonly withoutSandbox?: boolean;
}

export const root = path.join(import.meta.dirname, "..", "..", "..");

const nobodyHere = "54321";

/** Lines of JSON in and out of a program inside the cage. */
export class Cage implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #lines: AsyncIterator<string>;
  readonly closed: Promise<void>;
  stderr = "";

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    if (child.stdout === null || child.stderr === null) throw new Error("The cage has no streams.");
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr = (this.stderr + text).slice(-8_000);
    });
    child.stdin?.on("error", () => undefined);
    this.closed = new Promise((resolve) => child.once("close", () => resolve()));
  }

  static open(options: CageOptions): Cage {
    const folder = mkdtempSync(path.join(tmpdir(), "hermes-cage-"));
    mkdirSync(path.join(folder, "root"), { mode: 0o755 });
    spawnSync("chmod", ["755", folder]);
    const node = nodeBinds();
    const binds = {
      ...node.binds,
      ...Object.fromEntries(
        ["node_modules", "skills", "package.json"].map((name) => [path.join(root, name), `${programFolder}/${name}`]),
      ),
      [options.dist ?? path.join(root, "dist")]: `${programFolder}/dist`,
      [options.script]: "/opt/driver/driver.mjs",
    };
    const setup = path.join(import.meta.dirname, "setup.sh");
    const [program = "", ...args] = [
      ...lowered(),
      "unshare",
      ...["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc", "--uts"],
      "/bin/sh",
      setup,
      "/opt/driver/driver.mjs",
    ];
    const child = spawn(program, args, {
      cwd: "/",
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        CAGE_ROOT: path.join(folder, "root"),
        CAGE_BINDS: Object.entries(binds)
          .map((pair) => pair.join(" "))
          .join("\n"),
        CAGE_HIDE: options.withoutSandbox === true ? "/usr/bin/bwrap /usr/local/bin/bwrap" : "",
        CAGE_NODE: node.program,
        CAGE_SIZE: "1500m",
        CAGE_ADDRESSES: Object.values(addresses)
          .map((address) => `${address}/32`)
          .join(" "),
        CAGE_ENVIRONMENT: Object.entries({ PATH: node.path, ...options.environment })
          .map((pair) => pair.join("="))
          .join(" "),
      },
    });
    return new Cage(child, folder);
  }

  /** Sends one message and waits for the answer; undefined when the program inside is gone. */
  async ask(message: unknown, timeoutMs: number): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), timeoutMs);
    try {
      const line = await this.#lines.next();
      return line.done === true ? undefined : JSON.parse(line.value);
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Why there can be no cage on this machine; undefined when there can. */
export function cageMissing(): string | undefined {
  if (process.platform !== "linux") return `namespaces are a matter of Linux, not of ${process.platform}`;
  const words = [...lowered(), "unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--net", "true"];
  const tried = spawnSync(words[0] ?? "", words.slice(1), { encoding: "utf8" });
  return tried.status === 0 ? undefined : `unshare does not work here: ${tried.stderr?.trim() ?? tried.error?.message}`;
}

/** Root becomes a user nobody is, so that not even a way out of every namespace would own anything. */
function lowered(): readonly string[] {
  if (process.getuid?.() !== 0 || !isPublic(root)) return [];
  return ["setpriv", `--reuid=${nobodyHere}`, `--regid=${nobodyHere}`, "--clear-groups"];
}

/** True where every folder on the way can be entered by anybody. */
function isPublic(folder: string): boolean {
  const tried = spawnSync(
    "setpriv",
    [`--reuid=${nobodyHere}`, `--regid=${nobodyHere}`, "--clear-groups", "ls", folder],
    { stdio: "ignore" },
  );
  return tried.status === 0;
}

/** Node as it is found inside: where it is on the machine, or bound to a place of its own. */
function nodeBinds(): { readonly binds: Record<string, string>; readonly program: string; readonly path: string } {
  const usual = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/go/bin";
  if (process.execPath.startsWith("/usr/")) return { binds: {}, program: process.execPath, path: usual };
  const prefix = path.dirname(path.dirname(process.execPath));
  accessSync(prefix, constants.R_OK);
  const hasModules = existsSync(path.join(prefix, "lib", "node_modules"));
  return hasModules
    ? { binds: { [prefix]: "/opt/node" }, program: "/opt/node/bin/node", path: `/opt/node/bin:${usual}` }
    : {
        binds: { [process.execPath]: "/opt/node/bin/node" },
        program: "/opt/node/bin/node",
        path: `/opt/node/bin:${usual}`,
      };
}
