import type { ToolTask } from "./session-scope.ts";

/** A place where commands run and files live. All kinds behave alike; a lease owns and disposes them. */
export type TerminalKind = BuiltinTerminalKind | (string & Record<never, never>);

/** The kinds that settings name; plugins bring others. */
export type BuiltinTerminalKind = "local" | "docker" | "ssh" | "singularity" | "modal" | "daytona";

export interface ExecOptions {
  /** Absolute; default is the live working directory. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly stdin?: string | Uint8Array;
  readonly signal: AbortSignal;
  /** Outside the wall: a person approved exactly this, knowing that it reaches beyond. */
  readonly isUnconfined?: boolean | undefined;
  /** Output as it arrives, decoded; for progress display only. */
  onOutput?(text: string): void;
}

/** Shaped the same for success, failure, time-out and interrupt. */
export interface ExecResult {
  /** stdout and stderr in arrival order; middle cut out when it grew too long. */
  readonly output: string;
  /** 124 time-out, 130 interrupt, 126 working directory unreachable. */
  readonly exitCode: number;
  readonly ended: "exited" | "timed-out" | "interrupted" | "cwd-unreachable";
  readonly omittedBytes: number;
  readonly durationMs: number;
  /** What the wall held back or made reachable, in words for the model. */
  readonly notes?: readonly string[] | undefined;
  /** Hosts that were reached meanwhile, package registries apart; undefined where nobody can know. */
  readonly reached?: readonly string[] | undefined;
}

export interface SpawnOptions {
  readonly cwd?: string;
  readonly pty: boolean;
  readonly signal: AbortSignal;
  /** See {@link ExecOptions.isUnconfined}. */
  readonly isUnconfined?: boolean | undefined;
}

/** A background process; its output is read by whoever keeps the table of them. */
export interface TerminalProcess extends AsyncDisposable {
  readonly pid: number | undefined;
  /** Milliseconds since the epoch at which the operating system says it started, to tell a recycled pid. */
  readonly startedAtMs: number | undefined;
  onData(listener: (text: string) => void): void;
  /** Resolves once, with the exit code (negative: signal number). */
  readonly exit: Promise<number>;
  write(data: string): Promise<void>;
  closeInput(): Promise<void>;
  /** TERM to the group, KILL after a grace period. */
  kill(graceMs?: number): Promise<void>;
}

export interface FileFacts {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly size: number;
  readonly modifiedMs: number;
  readonly mode: number;
}

/** Native file transport of a terminal; never shell text. Paths are absolute. */
export interface TerminalFiles {
  read(path: string, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<Uint8Array>;
  /** Atomic where the terminal can; keeps the mode; writes through links. Creates parent folders. */
  write(path: string, data: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Undefined when nothing is there. `followLinks` false describes a link itself. */
  stat(
    path: string,
    options: { readonly followLinks: boolean; readonly signal: AbortSignal },
  ): Promise<FileFacts | undefined>;
  list(path: string, signal: AbortSignal): Promise<readonly string[]>;
  remove(path: string, signal: AbortSignal): Promise<void>;
  rename(from: string, to: string, signal: AbortSignal): Promise<void>;
  /** Links resolved; the part that does not exist yet is appended as it is. */
  realPath(path: string, signal: AbortSignal): Promise<string>;
  /** The same for paths from `realPath`, which follows no link that came into one since; absent where a terminal cannot tell. */
  readonly resolved?: TerminalFiles | undefined;
}

export interface Terminal extends AsyncDisposable {
  readonly kind: TerminalKind;
  readonly taskId: string;
  readonly isPersistent: boolean;
  /** Live working directory; follows `cd`. */
  readonly cwd: string;
  readonly home: string;
  readonly tempDir: string;
  exec(command: string, options: ExecOptions): Promise<ExecResult>;
  spawn(command: string, options: SpawnOptions): Promise<TerminalProcess>;
  readonly files: TerminalFiles;
}

/** Hands out the one terminal of a task, making it at first use. */
export interface TerminalLeases extends AsyncDisposable {
  take(task: ToolTask, signal: AbortSignal): Promise<Terminal>;
  /** The terminal if it exists already. */
  peek(taskId: string): Terminal | undefined;
  release(taskId: string): Promise<void>;
}

/** Makes the terminal of a task; each kind of terminal brings one. */
export type TerminalOpener = (task: ToolTask, signal: AbortSignal) => Promise<Terminal>;
