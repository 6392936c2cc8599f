import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, systemErrorCode } from "#foundation/errors";
import { withFileLock } from "#foundation/files/files";
import { deadline, linkSignals, never } from "#foundation/lifecycle/abort";
import { spawnProcess } from "#foundation/process/run";
import type { BackendDeps } from "./backend.ts";
import type { RemoteHost } from "./remote-host.ts";

/** What was sent, and is a candidate for the way back: its name below `.hermes`, the hash of what was sent. */
export interface SentFile {
  readonly name: string;
  readonly hash: string;
  readonly isCredential: boolean;
}

const mostBytes = 2 * 1024 ** 3;
const tries = 3;
const firstPauseMs = 2_000;
const pullTimeoutMs = 120_000;

/**
 * Brings files that were changed there back to the home here when a terminal is closed:
 *
 * 1. Never a credential file, and only what lies in the folders that were sent.
 * 2. Only files whose contents differ from what was sent; links, devices and folders are not taken.
 * 3. A file that also changed here stays, and what came is put beside it as `<name>.remote`.
 */
export class FilePull {
  readonly #deps: BackendDeps;
  readonly #host: Pick<RemoteHost, "start">;

  constructor(deps: BackendDeps, host: Pick<RemoteHost, "start">) {
    this.#deps = deps;
    this.#host = host;
  }

  /** A failure costs what was changed there and nothing else, so it is said and does not stop anybody. */
  async pull(sent: readonly SentFile[], folders: readonly string[]): Promise<void> {
    if (folders.length === 0) return;
    const work = await mkdtemp(path.join(tmpdir(), "hermes-pull-"));
    try {
      const archive = path.join(work, "archive.tar");
      await this.#fetchPatiently(archive, folders);
      const files = path.join(work, "files");
      await mkdir(files);
      await this.#unpack(archive, files);
      await withFileLock(path.join(this.#deps.hermesHome, "pull.lock"), () => this.#apply(files, sent, folders), {
        signal: never,
        timeoutMs: 60_000,
      });
    } catch (error) {
      this.#deps.logger.warn("files were not brought back from the terminal", { reason: describe(error) });
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  async #fetchPatiently(archive: string, folders: readonly string[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#fetch(archive, folders);
      } catch (error) {
        if (attempt === tries) throw error;
        await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** (attempt - 1)));
      }
    }
  }

  async #fetch(archive: string, folders: readonly string[]): Promise<void> {
    using limit = deadline(pullTimeoutMs);
    const stop = new AbortController();
    const signal = linkSignals(limit.signal, stop.signal);
    const script =
      'cd "$HOME/.hermes" 2>/dev/null || exit 0; for f; do [ -d "$f" ] && set -- "$@" "$f"; shift; done; [ $# -gt 0 ] || exit 0; exec tar -cf - -- "$@"';
    const client = await this.#host.start(["sh", "-c", script, "hermes", ...folders], { stdin: "ignore", signal });
    client.stderr.resume();
    const { createWriteStream } = await import("node:fs");
    const { pipeline } = await import("node:stream/promises");
    let bytes = 0;
    client.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) stop.abort(new Error("there are more than 2 GiB"));
    });
    await pipeline(client.stdout, createWriteStream(archive, { mode: 0o600 }));
    const { exitCode } = await client.exited;
    signal.throwIfAborted();
    if (exitCode !== 0) throw new Error(`tar ended with ${exitCode}`);
  }

  async #unpack(archive: string, into: string): Promise<void> {
    if ((await lstat(archive)).size === 0) return;
    const args = ["-C", into, "--no-same-owner", "--no-same-permissions", "-xf", archive];
    const child = await spawnProcess("tar", args, { env: { ...this.#deps.clientEnvironment }, signal: never });
    child.stdout.resume();
    child.stderr.resume();
    const { exitCode } = await child.exited;
    if (exitCode !== 0) throw new Error(`what came back is no archive (tar ended with ${exitCode})`);
  }

  async #apply(files: string, sent: readonly SentFile[], folders: readonly string[]): Promise<void> {
    const known = new Map(sent.map((one) => [one.name, one]));
    const { readdir } = await import("node:fs/promises");
    const entries = await readdir(files, { withFileTypes: true, recursive: true });
    for (const entry of entries) {
      const from = path.join(entry.parentPath, entry.name);
      const name = path.relative(files, from).split(path.sep).join("/");
      const isInside = folders.some((folder) => name.startsWith(`${folder}/`));
      // Only plain files, by what they are and not by what they point to.
      if (!isInside || !entry.isFile() || known.get(name)?.isCredential === true) continue;
      await this.#take(from, name, known.get(name)?.hash);
    }
  }

  async #take(from: string, name: string, sentHash: string | undefined): Promise<void> {
    const bytes = await readFile(from);
    if (hashOf(bytes) === sentHash) return;
    const target = path.join(this.#deps.hermesHome, name);
    if (!(await isPlainWay(this.#deps.hermesHome, name))) return;
    const hereHash = await readFile(target).then(hashOf, (error: unknown) => {
      if (systemErrorCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (hereHash === hashOf(bytes)) return;
    const hasChangedHere = hereHash !== sentHash;
    const to = hasChangedHere ? `${target}.remote` : target;
    if (hasChangedHere)
      this.#deps.notice(`${name} changed here and in the terminal; what came back is ${name}.remote.`);
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    const arriving = `${to}.${process.pid}.arriving`;
    await writeFile(arriving, bytes, { mode: 0o600 });
    await rename(arriving, to);
  }
}

/** No link on the way: it would lead out of the home. */
async function isPlainWay(home: string, name: string): Promise<boolean> {
  const steps = name.split("/");
  for (let count = 1; count <= steps.length; count += 1) {
    try {
      const facts = await lstat(path.join(home, ...steps.slice(0, count)));
      if (facts.isSymbolicLink()) return false;
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return true;
      throw error;
    }
  }
  return true;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
