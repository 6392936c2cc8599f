import { randomBytes } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe } from "#foundation/errors";
import { linkSignals } from "#foundation/lifecycle/abort";
import { spawnProcess } from "#foundation/process/run";
import type { BackendDeps } from "./backend.ts";
import { FilePull, hashOf } from "./file-pull.ts";
import { followedFiles, followedFolders } from "./followed-files.ts";
import type { RemoteHost } from "./remote-host.ts";

const everyMs = 5_000;

interface Followed {
  /** Tells one version from another without reading. */
  readonly version: string;
  readonly isCredential: boolean;
}

/**
 * Sends files of the home here to `.hermes` in the home there: those that are new or changed, and removes those that are gone. What was sent
 * is written down when all of it arrived, so a failure sends it again. At the end it brings back what was changed there.
 */
export class FileSync {
  readonly #deps: BackendDeps;
  readonly #host: Pick<RemoteHost, "start">;
  readonly #pull: FilePull;
  /** Marks the moment of the first push there; what is newer was changed there. */
  readonly #since = `.since-${randomBytes(6).toString("hex")}`;
  #sent: ReadonlyMap<string, Followed> = new Map();
  readonly #hashes = new Map<string, string>();
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(deps: BackendDeps, host: Pick<RemoteHost, "start">) {
    this.#deps = deps;
    this.#host = host;
    this.#pull = new FilePull(deps, host);
  }

  /** When the terminal is closed. */
  async bringBack(): Promise<void> {
    const sent = [...this.#sent].flatMap(([name, { isCredential }]) => {
      const hash = this.#hashes.get(name);
      return hash === undefined ? [] : [{ name, hash, isCredential }];
    });
    if (this.#hashes.size > 0) await this.#pull.pull({ sent, folders: followedFolders, since: this.#since });
  }

  /** At most every few seconds. A terminal without these files still works, so a failure is only logged. */
  async refresh(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#lastMs < everyMs) return;
    this.#lastMs = performance.now();
    try {
      const now = await this.#versions();
      const changed = [...now].flatMap(([name, { version }]) =>
        this.#sent.get(name)?.version === version ? [] : [name],
      );
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
  async #versions(): Promise<ReadonlyMap<string, Followed>> {
    const versions = new Map<string, Followed>();
    for (const { host, name, isCredential } of await followedFiles(this.#deps)) {
      const facts = await stat(host);
      const inside = facts.isDirectory() ? await readdir(host, { withFileTypes: true, recursive: true }) : undefined;
      const files = inside?.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
      for (const file of files ?? [host]) {
        const { mtimeMs, size } = await stat(file);
        const version = `${mtimeMs}:${size}`;
        versions.set(path.posix.join(name, path.relative(host, file)), { version, isCredential });
      }
    }
    return versions;
  }

  async #send(names: readonly string[], signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const both = linkSignals(signal, stop.signal);
    const hashes = await Promise.all(
      names.map(async (name) => [name, hashOf(await readFile(path.join(this.#deps.hermesHome, name)))] as const),
    );
    const unpack =
      'umask 077; mkdir -p "$HOME/.hermes" && cd "$HOME/.hermes" && { [ -e "$1" ] || : >"$1"; } && exec tar -xf -';
    const there = await this.#host.start(["sh", "-c", unpack, "hermes", this.#since], { stdin: "pipe", signal: both });
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
    for (const [name, hash] of hashes) this.#hashes.set(name, hash);
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
