import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { defined } from "../defined.ts";
import { systemErrorCode, UserError } from "../errors.ts";
import { deadline, linkSignals, onAbort } from "../lifecycle/abort.ts";
import { Deferred } from "../lifecycle/deferred.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { type KillOptions, killGroup, signalGroup } from "./process-group.ts";

export { OutputBuffer } from "./output-buffer.ts";
export { killGroup, signalGroup } from "./process-group.ts";

/**
 * Child programs. Invariants:
 *
 * 1. Every child leads its own process group, so ending it ends what it started.
 * 2. Aborting, timing out and disposing end the group: SIGTERM, then SIGKILL after the grace.
 * 3. The end is reported soon after the child itself exits, also when a descendant keeps its pipes open.
 * 4. Descendants left behind are ended too, unless `keepDescendants` says otherwise.
 */
export interface SpawnOptions {
  readonly cwd?: string;
  /** The whole environment of the child; nothing is added to it. */
  readonly env?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly stdin?: "pipe" | "ignore";
  /** Time between SIGTERM and SIGKILL (default 2 s). */
  readonly graceMs?: number;
  readonly keepDescendants?: boolean;
}

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessHandle extends AsyncDisposable {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the child has exited and its output was read; attach readers before waiting for it. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** Ends the whole group and waits for it. */
  kill(options?: KillOptions): Promise<void>;
}

/** Starts a program. One that cannot be started is a {@link UserError} with the system's code in `data.code`. */
export async function spawnProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ProcessHandle> {
  options.signal.throwIfAborted();
  const child = start(command, args, options);
  const { stdout, stderr, stdin } = child;
  const pid = await started(child, command, options.cwd);
  if (stdout === null || stderr === null) throw new Error("a piped child has no pipes");
  // A child may end without reading its input; that is its right, and its exit code tells the story.
  stdin?.on("error", () => undefined);
  const kills: Promise<void>[] = [];
  const kill = (how: KillOptions = {}): Promise<void> => {
    const killing = killGroup(pid, { graceMs: options.graceMs, ...how });
    kills.push(killing);
    return killing;
  };
  const subscription = onAbort(options.signal, () => void kill());
  const exited = finish(child, pid, options).then(async (exit) => {
    subscription[Symbol.dispose]();
    await Promise.all(kills);
    return exit;
  });
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await exited;
    },
  };
}

function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  // Loaded here: many a process starts no other one.
  const { spawn } = process.getBuiltinModule("node:child_process");
  try {
    return spawn(command, [...args], {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: [options.stdin ?? "ignore", "pipe", "pipe"],
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    // Thrown rather than emitted for what no system call takes, such as a zero byte in an argument.
    throw notStarted(command, options.cwd, error);
  }
}

/** The process number, once it runs. The listener stays: a later error event without one would end the program. */
function started(child: ChildProcess, command: string, cwd: string | undefined): Promise<number> {
  const running = new Deferred<number>();
  child.once("spawn", () => running.resolve(child.pid ?? -1));
  child.on("error", (error) => running.reject(notStarted(command, cwd, error)));
  return running.promise;
}

function notStarted(command: string, cwd: string | undefined, error: unknown): UserError {
  const code = systemErrorCode(error);
  const hint =
    code === "ENOENT"
      ? `Check that ${command} is installed and on the PATH${cwd === undefined ? "" : `, and that ${cwd} exists`}.`
      : undefined;
  return new UserError(`Cannot start ${command} (${code ?? "unknown error"}).`, {
    ...defined({ hint }),
    code: "process_not_started",
    data: { command, code },
    cause: error,
  });
}

const drainIdleMs = 250;
const drainTotalMs = 1_000;

/** Waits for the exit, then for the pipes, but not for a descendant that holds them open. */
async function finish(child: ChildProcess, pid: number, options: SpawnOptions): Promise<ProcessExit> {
  const exit = new Deferred<ProcessExit>();
  const closed = new Deferred<void>();
  child.once("exit", (exitCode, signal) => exit.resolve({ exitCode, signal }));
  child.once("close", () => closed.resolve());
  const result = await exit.promise;
  await drained(child, closed.promise);
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.stdin?.destroy();
  if (options.keepDescendants !== true && signalGroup(pid, 0)) await killGroup(pid, { graceMs: options.graceMs });
  return result;
}

async function drained(child: ChildProcess, closed: Promise<void>): Promise<void> {
  using idle = deadline(drainIdleMs);
  using total = deadline(drainTotalMs);
  const restart = (): void => idle.restart();
  child.stdout?.on("data", restart);
  child.stderr?.on("data", restart);
  const supplied = new Deferred<void>();
  using _subscription = onAbort(linkSignals(idle.signal, total.signal), () => supplied.resolve());
  await Promise.race([closed, supplied.promise]);
  child.stdout?.off("data", restart);
  child.stderr?.off("data", restart);
}

export interface RunOptions extends Omit<SpawnOptions, "stdin"> {
  /** Written to the child's standard input, which is then closed. */
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** Limit per stream (default 1 MiB); the beginning and the end are kept. */
  readonly maxOutputBytes?: number;
}

export interface ProcessResult extends ProcessExit {
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** Runs a program to its end. Aborting and timing out are results, not errors: what it wrote until then is kept. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProcessResult> {
  const startedAtMs = performance.now();
  const maxBytes = options.maxOutputBytes ?? 1_048_576;
  const output = { stdout: new OutputBuffer(maxBytes), stderr: new OutputBuffer(maxBytes) };
  using limit = options.timeoutMs === undefined ? undefined : deadline(options.timeoutMs);
  const result = (exit: ProcessExit): ProcessResult => ({
    ...exit,
    stdout: output.stdout.text(),
    stderr: output.stderr.text(),
    timedOut: (limit?.signal.aborted ?? false) && !options.signal.aborted,
    aborted: options.signal.aborted,
    truncated: output.stdout.isTruncated || output.stderr.isTruncated,
    durationMs: performance.now() - startedAtMs,
  });
  if (options.signal.aborted) return result({ exitCode: null, signal: null });
  const child = await spawnProcess(command, args, {
    ...options,
    signal: linkSignals(options.signal, limit?.signal),
    stdin: options.input === undefined ? "ignore" : "pipe",
  });
  child.stdout.on("data", (chunk: Buffer) => output.stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.stderr.push(chunk));
  child.stdin?.end(options.input);
  return result(await child.exited);
}
