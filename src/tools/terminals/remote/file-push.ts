import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { describe } from "#foundation/errors";
import { linkSignals } from "#foundation/lifecycle/abort";
import { spawnProcess } from "#foundation/process/run";
import type { BackendDeps } from "./backend.ts";
import { followedFiles } from "./followed-files.ts";
import type { RemoteHost } from "./remote-host.ts";

const everyMs = 5_000;

/**
 * Sends files of the home here to `.hermes` in the home there: those that are new or changed, and removes those that are gone. What was sent
 * is written down when all of it arrived, so a failure sends it again.
 */
export class FilePush {
  readonly #deps: BackendDeps;
  readonly #host: Pick<RemoteHost, "start">;
  #sent: ReadonlyMap<string, string> = new Map();
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(deps: BackendDeps, host: Pick<RemoteHost, "start">) {
    this.#deps = deps;
    this.#host = host;
  }

  /** At most every few seconds. A terminal without these files still works, so a failure is only logged. */
  async refresh(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#lastMs < everyMs) return;
    this.#lastMs = performance.now();
    try {
      const now = await this.#versions();
      const changed = [...now].filter(([name, version]) => this.#sent.get(name) !== version).map(([name]) => name);
      const gone = [...this.#sent.keys()].filter((name) => !now.has(name));
      if (changed.length > 0) await this.#send(changed, signal);
      if (gone.length > 0) await this.#remove(gone, signal);
      this.#sent = now;
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.logger.warn("files could not be sent to the terminal", { reason: describe(error) });
    }
  }

  /** The files with what tells one version from another. Links do not follow: they would lead out. */
  async #versions(): Promise<ReadonlyMap<string, string>> {
    const versions = new Map<string, string>();
    for (const { host, name } of await followedFiles(this.#deps)) {
      const facts = await stat(host);
      const inside = facts.isDirectory() ? await readdir(host, { withFileTypes: true, recursive: true }) : undefined;
      const files = inside?.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
      for (const file of files ?? [host]) {
        const { mtimeMs, size } = await stat(file);
        versions.set(path.posix.join(name, path.relative(host, file)), `${mtimeMs}:${size}`);
      }
    }
    return versions;
  }

  async #send(names: readonly string[], signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const both = linkSignals(signal, stop.signal);
    const unpack = 'umask 077; mkdir -p "$HOME/.hermes" && exec tar -C "$HOME/.hermes" -xf -';
    const there = await this.#host.start(["sh", "-c", unpack], { stdin: "pipe", signal: both });
    const pack = ["-C", this.#deps.hermesHome, "-cf", "-", "--null", "-T", "-"];
    const here = await spawnProcess("tar", pack, {
      env: { ...this.#deps.clientEnvironment },
      stdin: "pipe",
      signal: both,
    });
    if (there.stdin === null) throw new Error("the terminal takes no input");
    there.stdout.resume();
    let words = "";
    there.stderr.on("data", (chunk: Buffer) => {
      words = `${words}${chunk.toString()}`.slice(-500);
    });
    here.stderr.resume();
    here.stdout.pipe(there.stdin);
    here.stdin?.end(names.map((name) => `./${name}\0`).join(""));
    const [packed, unpacked] = await Promise.all([here.exited, there.exited]);
    if (packed.exitCode !== 0 || unpacked.exitCode !== 0) throw new Error(`tar failed: ${words.trim()}`);
  }

  async #remove(names: readonly string[], signal: AbortSignal): Promise<void> {
    const script = 'cd "$HOME/.hermes" && exec xargs -0 rm -f --';
    const there = await this.#host.start(["sh", "-c", script], { stdin: "pipe", signal });
    there.stdout.resume();
    there.stderr.resume();
    there.stdin?.end(names.map((name) => `./${name}\0`).join(""));
    const { exitCode } = await there.exited;
    if (exitCode !== 0) throw new Error(`old files were not removed (exit ${exitCode})`);
  }
}
