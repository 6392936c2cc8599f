import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { makePrivateFolder } from "#foundation/files/private-folder";
import { spawnProcess } from "#foundation/process/run";
import type { ProgramCall, TerminalWall } from "../terminals/local/local-terminal.ts";
import { type ShellStart, SpareShell, type SpareTimes, type StartedShell } from "../terminals/local/spare-shell.ts";

export interface ScriptStartOptions {
  /** When the sandbox of the next script is made ahead; absent: it is not. */
  readonly spareTimes?: SpareTimes | undefined;
  /** Ends a process group when this program dies; disposing it gives the group up. */
  watch?(pid: number): Disposable;
}

/** How a script is started. */
export interface ScriptCall {
  readonly interpreter: string;
  /** In the folder that is its own. */
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const graceMs = 5_000;
/**
 * Waits until its script is written, and becomes the interpreter; without a line it ends. The script is no path of its own here, because it is not
 * there yet.
 */
const waiting = 'IFS= read -r line || exit 0; unset line; exec "$1" "$2/$3" </dev/null';

/**
 * Where the scripts of one session start. Each has a folder of its own that goes with it. Behind a wall the folder of the next one, and the
 * sandbox around it, are made while the model thinks; what is in the folder is written when the script is known.
 */
export class ScriptStart implements AsyncDisposable {
  readonly #options: ScriptStartOptions;
  readonly #spare: SpareShell;
  #nextFolder: string | undefined;

  constructor(options: ScriptStartOptions) {
    this.#options = options;
    const { spareTimes: times } = options;
    this.#spare = new SpareShell({ times, graceMs, keepDescendants: false, watch: (pid) => options.watch?.(pid) });
  }

  /** An empty folder that only this user can enter; the caller removes it. */
  async takeFolder(tempDir: string): Promise<string> {
    const folder = this.#nextFolder;
    this.#nextFolder = undefined;
    return folder !== undefined && existsSync(folder) ? folder : newFolder(tempDir);
  }

  async start(
    script: ScriptCall,
    at: { readonly folder: string; readonly wall: TerminalWall | undefined; readonly signal: AbortSignal },
  ): Promise<StartedShell> {
    const { wall, signal } = at;
    if (wall !== undefined && canWait(script, wall)) {
      const started = await this.#spare.take(waitingStart(script, { folder: at.folder, wall }), signal);
      started.child.stdin?.end("\n");
      return started;
    }
    const { interpreter, file, cwd, env } = script;
    const plain: ProgramCall = { program: interpreter, args: [file] };
    const call = wall?.confine(plain, { cwd, isBackground: false, writable: [at.folder] }) ?? plain;
    const child = await spawnProcess(call.program, call.args, { cwd, env, signal, graceMs });
    return { child, watched: this.#options.watch?.(child.pid) };
  }

  /** The next script will most likely start as this one did, in a folder of its own. */
  prepare(
    script: (folder: string) => ScriptCall,
    at: { readonly wall: TerminalWall | undefined; readonly tempDir: string },
  ): void {
    const { wall, tempDir } = at;
    if (wall === undefined || !canWait(script(tempDir), wall)) return;
    this.#spare.prepare(async () => {
      const folder = await this.takeFolder(tempDir);
      this.#nextFolder = folder;
      return waitingStart(script(folder), { folder, wall });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#spare[Symbol.asyncDispose]();
    if (this.#nextFolder !== undefined) await rm(this.#nextFolder, { recursive: true, force: true });
  }
}

/** Short, because the path of a socket in it may have about a hundred characters. */
const newFolder = (tempDir: string): Promise<string> => makePrivateFolder(tempDir, "code");

/** Where the folder is gone, the system's own error says so. */
function canWait({ cwd }: ScriptCall, wall: TerminalWall): boolean {
  return process.platform === "linux" && wall.isInForce && existsSync(cwd);
}

function waitingStart(
  { interpreter, file, cwd, env }: ScriptCall,
  { folder, wall }: { readonly folder: string; readonly wall: TerminalWall },
): ShellStart {
  const words = [interpreter, path.dirname(file), path.basename(file)];
  const shell = { program: "/bin/sh", args: ["-c", waiting, "hermes", ...words] };
  return { call: wall.confine(shell, { cwd, isBackground: false, writable: [folder] }), env };
}
