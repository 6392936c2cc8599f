import { lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import { onAbort } from "#foundation/lifecycle/abort";
import { type ProcessHandle, signalGroup, spawnProcess } from "#foundation/process/run";
import type { ProgramCall } from "./local-terminal.ts";

/** A shell that reads its command from standard input: the whole call, with the whole environment. */
export interface ShellStart {
  readonly call: ProgramCall;
  readonly env: Readonly<Record<string, string>>;
}

export interface StartedShell {
  readonly child: ProcessHandle;
  readonly watched: Disposable | undefined;
}

export interface SpareTimes {
  /** After a command; what the model is told of it goes out first. */
  readonly delayMs: number;
  /** Nobody wanted it for so long: it ends. */
  readonly idleMs: number;
}

export interface SpareOptions {
  /** Absent: none is started ahead. */
  readonly times: SpareTimes | undefined;
  readonly graceMs: number;
  /** What a command leaves running goes on without it. */
  readonly keepDescendants: boolean;
  watch(pid: number): Disposable | undefined;
}

interface Waiting extends StartedShell {
  /** What was so when it was started. */
  readonly conditions: string;
  readonly stop: AbortController;
  readonly idle: NodeJS.Timeout;
}

/**
 * One shell of a terminal, or one for a script, started ahead: making a sandbox takes longer than most commands, and while the model thinks there is time
 * for it. Invariants:
 *
 * 1. A shell runs one command. The next one gets another shell.
 * 2. It is used only where a start at that moment would give the same: the same arguments and environment, every file and folder that
 *    the arguments name still the one that was mounted or covered, and no mount more or less on this machine. Otherwise it is ended.
 * 3. It ends with its owner, after an idle time, and with this program: its standard input closes, and the sandbox around it dies with
 *    its parent.
 */
export class SpareShell implements AsyncDisposable {
  readonly #options: SpareOptions;
  readonly #ending = new Set<Promise<void>>();
  #waiting: Waiting | undefined;
  #starting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SpareOptions) {
    this.#options = options;
  }

  /** A shell for one command: the one that waits where it is as good as a new one, else a new one. */
  async take(start: ShellStart, signal: AbortSignal): Promise<StartedShell> {
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return this.#start(start, signal);
    clearTimeout(waiting.idle);
    const isAlive = signalGroup(waiting.child.pid, 0);
    if (!isAlive || waiting.conditions !== conditionsOf(start)) {
      this.#end(waiting);
      return this.#start(start, signal);
    }
    const subscription = onAbort(signal, () => waiting.stop.abort(signal.reason));
    void waiting.child.exited.then(() => subscription[Symbol.dispose]());
    return waiting;
  }

  /** Starts one for the next command, soon; `next` says what that command would be started with. */
  prepare(next: () => ShellStart | Promise<ShellStart>): void {
    const { times } = this.#options;
    const isThere = this.#waiting !== undefined || this.#starting !== undefined;
    if (times === undefined || isThere || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // Nobody waits for this one; a sandbox that cannot be made is told to whoever runs the next command.
      this.#starting = this.#startAhead(next, times.idleMs)
        .catch(() => undefined)
        .finally(() => {
          this.#starting = undefined;
        });
    }, times.delayMs);
    this.#timer.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#starting;
    this.#drop();
    await Promise.all(this.#ending);
  }

  async #startAhead(next: () => ShellStart | Promise<ShellStart>, idleMs: number): Promise<void> {
    const start = await next();
    // Before the start: what changes while it goes on counts as changed.
    const conditions = conditionsOf(start);
    if (conditions === undefined) return;
    const stop = new AbortController();
    const started = await this.#start(start, stop.signal);
    const idle = setTimeout(() => this.#drop(), idleMs);
    idle.unref();
    const waiting = { ...started, conditions, stop, idle };
    this.#waiting = waiting;
    void started.child.exited.then(() => {
      if (this.#waiting === waiting) this.#drop();
    });
    if (this.#isClosed) this.#drop();
  }

  async #start({ call, env }: ShellStart, signal: AbortSignal): Promise<StartedShell> {
    const { graceMs, keepDescendants } = this.#options;
    const options = { cwd: "/", env, signal, stdin: "pipe", graceMs, keepDescendants } as const;
    const child = await spawnProcess(call.program, call.args, options);
    return { child, watched: this.#options.watch(child.pid) };
  }

  #drop(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#end(waiting);
  }

  #end({ child, watched, idle }: Waiting): void {
    clearTimeout(idle);
    // It has done nothing yet that it could put in order.
    const ending = child.kill({ graceMs: 0 }).then(() => {
      watched?.[Symbol.dispose]();
      this.#ending.delete(ending);
    });
    this.#ending.add(ending);
  }
}

/** All that decides what a shell started now would see; undefined where this machine does not tell. */
function conditionsOf({ call, env }: ShellStart): string | undefined {
  const named = [...new Set(call.args)].filter((arg) => path.isAbsolute(arg));
  try {
    return JSON.stringify([call, env, named.map(identityOf), readFileSync("/proc/self/mountinfo", "utf8")]);
  } catch {
    return undefined;
  }
}

/**
 * Which file or folder stands at a path. A mount belongs to that one: when another takes its place, or a name of it is removed, the mount is
 * gone. A folder has one name and changes with what is in it, so it is known by its birth; a file by its last change.
 */
function identityOf(file: string): readonly string[] {
  const facts = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (facts === undefined) return [];
  const { dev, ino, mode, birthtimeNs, ctimeNs } = facts;
  const time = facts.isDirectory() && birthtimeNs > 0n ? birthtimeNs : ctimeNs;
  return [dev, ino, mode, time].map(String);
}
