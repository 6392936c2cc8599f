import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { describe, systemErrorCode } from "#foundation/errors";
import { withFileLock } from "#foundation/files/files";
import { makePrivateFolder } from "#foundation/files/private-folder";
import { deadline, linkSignals, never } from "#foundation/lifecycle/abort";
import { spawnProcess } from "#foundation/process/run";
import { systemClock } from "#foundation/time/clock";
import { TerminalGone } from "../terminal-gone.ts";
import type { BackendDeps } from "./backend.ts";
import type { RemoteHost } from "./remote-host.ts";

/** What was sent, and is a candidate for the way back: its name below `.hermes`, the hash of what was sent. */
export interface SentFile {
  readonly name: string;
  readonly hash: string;
  readonly isCredential: boolean;
}

interface Wanted {
  readonly sent: readonly SentFile[];
  /** Below `.hermes`. */
  readonly folders: readonly string[];
  /** The file there that is as old as the first push. */
  readonly since: string;
}

/** Packs what is newer than a file. Arguments: that file, folders. */
const packScript = `
cd "$HOME/.hermes" 2>/dev/null || exit 0
since=$1; shift
[ -e "$since" ] || exit 0
list=$(for folder; do [ -d "$folder" ] && find "$folder" -type f -newer "$since"; done)
[ -n "$list" ] || exit 0
printf '%s\\n' "$list" | exec tar -cf - -T -
`;

const mostBytes = 2 * 1024 ** 3;
const tries = 3;
const firstPauseMs = 2_000;
const pullTimeoutMs = 60_000;

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

  /** A failure costs what was changed there and nothing else, so it is logged and does not stop anybody. */
  async pull(wanted: Wanted): Promise<void> {
    const work = await makePrivateFolder(tmpdir(), "pull");
    try {
      const archive = path.join(work, "archive.tar");
      await this.#fetchPatiently(archive, wanted);
      const files = path.join(work, "files");
      await mkdir(files);
      await this.#unpack(archive, files);
      await this.#forget(wanted.since);
      await withFileLock(path.join(this.#deps.hermesHome, "pull.lock"), () => this.#apply(files, wanted), {
        signal: never,
        timeoutMs: 60_000,
      });
    } catch (error) {
      this.#deps.logger.warn("files were not brought back from the terminal", { reason: describe(error) });
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  async #fetchPatiently(archive: string, wanted: Wanted): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#fetch(archive, wanted);
      } catch (error) {
        // A machine that is gone does not come back.
        if (attempt === tries || error instanceof TerminalGone) throw error;
        await systemClock.sleep(firstPauseMs * 2 ** (attempt - 1), never);
      }
    }
  }

  async #fetch(archive: string, { folders, since }: Wanted): Promise<void> {
    using limit = deadline(pullTimeoutMs);
    const stop = new AbortController();
    const signal = linkSignals(limit.signal, stop.signal);
    const client = await this.#host.start(["sh", "-c", packScript, "hermes", since, ...folders], {
      stdin: "ignore",
      signal,
    });
    client.stderr.resume();
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

  async #forget(since: string): Promise<void> {
    using limit = deadline(10_000);
    const argv = ["sh", "-c", 'rm -f -- "$HOME/.hermes/$1"', "hermes", since];
    const client = await this.#host.start(argv, { stdin: "ignore", signal: limit.signal });
    client.stdout.resume();
    client.stderr.resume();
    await client.exited;
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

  async #apply(files: string, { sent, folders }: Wanted): Promise<void> {
    const known = new Map(sent.map((one) => [one.name, one]));
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
