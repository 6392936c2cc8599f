import path from "node:path";
import { readSwitches } from "#config";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { makePrivateFolder } from "#foundation/files/private-folder";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { ownEnvironment, shellPath } from "#foundation/process/platform";
import { killGroup, type ProcessHandle, signalGroup, spawnProcess } from "#foundation/process/run";
import { ToolFailure } from "../../contract/result.ts";
import type { ExecOptions, ExecResult, SpawnOptions, Terminal, TerminalProcess } from "../../contract/terminal.ts";
import { childEnvironment, type EnvironmentPolicy } from "../environment-variables.ts";
import { HeadTailBuffer } from "../head-tail-buffer.ts";
import { localFiles } from "../local-files.ts";
import { exitCodeOf, pipedProcess } from "../piped-process.ts";
import { codeOf, endOf } from "../shell/exec-end.ts";
import {
  backgroundScript,
  foregroundScript,
  outsideScript,
  plainShellScript,
  snapshotScript,
  waitingInput,
  waitingScript,
} from "../shell/shell-script.ts";
import { type ShellReport, ShellState } from "../shell/shell-state.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { initFilesOf } from "./init-files.ts";
import { withoutLoaderVariables } from "./loader-variables.ts";
import { longestArgument, ShellFiles } from "./shell-files.ts";
import { type ShellStart, SpareShell, type SpareTimes, type StartedShell } from "./spare-shell.ts";

export interface LocalTerminalOptions {
  readonly taskId: string;
  /** Absolute. */
  readonly cwd: string;
  /** Our own environment; what of it a child sees is decided by `environment`. */
  readonly env: NodeJS.ProcessEnv;
  readonly environment: EnvironmentPolicy;
  /** What commands see besides, asked before each: a skill that is loaded later brings variables with it. */
  moreVariables?(): Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** Sourced by the first shell; when empty, the user's own start files are, unless `autoSourceBashrc` is false. */
  readonly shellInitFiles?: readonly string[];
  readonly autoSourceBashrc?: boolean;
  /** False: every command begins where the first one did, with its variables; true when left out. */
  readonly keepsState?: boolean;
  /** Holds what runs here inside; absent: nothing does. */
  readonly wall?: TerminalWall | undefined;
  /** Ends a process group when this program dies; disposing it gives the group up. */
  watch?(pid: number): Disposable;
  /** When the sandbox of the next command is made ahead; absent: it is not. */
  readonly spareTimes?: SpareTimes | undefined;
}

/** What a terminal needs of the wall of its session. */
export interface TerminalWall {
  /** False where nothing holds programs inside. */
  readonly isInForce: boolean;
  /** True where programs should be held inside and nothing on this machine can. */
  readonly isMissing: boolean;
  /** Tells programs inside where the way out is. */
  readonly environment: Readonly<Record<string, string>>;
  /** Turns a program call into one that runs confined; `writable` folders stay so. */
  confine(
    call: ProgramCall,
    at: {
      readonly cwd: string;
      readonly writable: readonly string[];
      readonly isBackground: boolean;
    },
  ): ProgramCall;
  /** Hosts that programs reached since the last call; undefined where nobody can know. */
  takeReached(): readonly string[] | undefined;
  /** Before a command in the foreground. */
  begin(command?: string): void;
  /** After it: what was held back, in words for the model. */
  settle(ended?: { readonly output: string; readonly exitCode: number }): Promise<readonly string[]>;
}

export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
}

const snapshotTimeoutMs = 30_000;
/** A shell reads from a pipe byte by byte. */
const longestRead = 4_000;

/** One run of the shell. */
interface ShellRun {
  readonly script: string;
  readonly command: string;
  readonly flags: readonly string[];
  /** What it changes lives on. */
  readonly keepsState: boolean;
}

/** Where and how a shell of the foreground starts. */
interface RunStart {
  readonly cwd: string;
  readonly report: string;
  readonly wall: TerminalWall | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: ExecOptions["stdin"];
}

const plainForeground = foregroundScript({ hasExec: false });

/** Opens the terminal of a task on this machine; the first shell runs before it is handed out. */
export async function openLocalTerminal(options: LocalTerminalOptions, signal: AbortSignal): Promise<Terminal> {
  const env = childEnvironment(options.env, options.environment);
  const stateDir = await makePrivateFolder(temporaryFolder(options.env), "terminal");
  const terminal = new LocalTerminal(options, { env, stateDir });
  try {
    await terminal.takeSnapshot(signal);
  } catch (error) {
    await terminal[Symbol.asyncDispose]();
    throw error;
  }
  return terminal;
}

function temporaryFolder(env: NodeJS.ProcessEnv): string {
  return (
    [env["TMPDIR"], env["TMP"], env["TEMP"]].find((folder) => folder !== undefined && path.isAbsolute(folder)) ?? "/tmp"
  );
}

/**
 * Each command is a shell of its own; what lives on between them is in {@link ShellState}. The folder
 * of the terminal (mode 0700) holds the functions and, while a command runs, its report.
 */
class LocalTerminal implements Terminal {
  readonly kind = "local";
  readonly isPersistent = true;
  readonly files = localFiles;
  readonly home: string;
  readonly tempDir: string;
  readonly #options: LocalTerminalOptions;
  readonly #state: ShellState;
  readonly #files: ShellFiles;
  readonly #shell: string;
  readonly #ending = new AbortController();
  /** Groups whose command has ended but in which something still runs. */
  readonly #left = new Map<number, Disposable | undefined>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #spare: SpareShell;
  readonly #graceMs: number;
  /** What the person's own start files set, before any command. */
  #startVariables: ReadonlyMap<string, string>;
  #isLoginPerCall = false;

  constructor(
    options: LocalTerminalOptions,
    start: { readonly env: Readonly<Record<string, string>>; readonly stateDir: string },
  ) {
    this.#options = options;
    this.#files = new ShellFiles(start.stateDir);
    this.#state = new ShellState({
      cwd: options.cwd,
      variables: start.env,
      ...defined({ blocked: options.environment.blocked }),
    });
    this.#startVariables = this.#state.variables;
    this.home = start.env["HOME"] ?? "/";
    this.tempDir = temporaryFolder(options.env);
    this.#shell = shellPath(ownEnvironment({ ...options.env, PATH: start.env["PATH"] }, [options.cwd, this.tempDir]));
    this.#graceMs = readSwitches(options.env).sigtermGraceMs;
    const watch = (pid: number): Disposable | undefined => options.watch?.(pid);
    this.#spare = new SpareShell({ times: options.spareTimes, graceMs: this.#graceMs, keepDescendants: true, watch });
  }

  get taskId(): string {
    return this.#options.taskId;
  }

  get cwd(): string {
    return this.#state.cwd;
  }

  get #isBash(): boolean {
    return path.basename(this.#shell).startsWith("bash");
  }

  async takeSnapshot(signal: AbortSignal): Promise<void> {
    if (!this.#isBash) return;
    const script = snapshotScript(
      initFilesOf({
        home: this.home,
        files: this.#options.shellInitFiles ?? [],
        auto: this.#options.autoSourceBashrc ?? true,
      }),
    );
    const options = { cwd: this.cwd, timeoutMs: snapshotTimeoutMs, signal };
    const ran = await this.#run({ script, command: "", flags: ["-l"], keepsState: true }, options);
    signal.throwIfAborted();
    this.#state.dropCredentials(this.#options.environment.passthrough ?? []);
    this.#startVariables = this.#state.variables;
    if (ran.report.kind === "complete") return;
    // Without a snapshot each command pays for the start files itself, and still works.
    this.#isLoginPerCall = ran.report.kind === "none";
    if (this.#isLoginPerCall)
      this.#options.logger.warn("no shell snapshot; using login shells", { taskId: this.taskId });
  }

  async exec(command: string, options: ExecOptions): Promise<ExecResult> {
    if (this.#ending.signal.aborted) throw new TerminalGone("the terminal is closed", { mayHaveRun: false });
    const inside = this.#isBash ? foregroundScript({ hasExec: /\bexec\b/.test(command) }) : plainShellScript;
    const script = options.isUnconfined === true ? outsideScript : inside;
    const keepsState = options.isUnconfined !== true && (this.#options.keepsState ?? true);
    const running = this.#run({ script, command, flags: this.#isLoginPerCall ? ["-l"] : [], keepsState }, options);
    this.#running.add(running);
    try {
      return (await running).result;
    } finally {
      this.#running.delete(running);
    }
  }

  async spawn(command: string, options: SpawnOptions): Promise<TerminalProcess> {
    if (this.#ending.signal.aborted) throw new TerminalGone("the terminal is closed", { mayHaveRun: false });
    const cwd = this.#absolute(options.cwd);
    this.#state.offer(this.#options.moreVariables?.() ?? {});
    const isOutside = options.isUnconfined === true;
    const inside = this.#isBash ? backgroundScript : plainShellScript;
    const script = isOutside ? outsideScript : inside;
    const flags = options.pty ? ["-l", "-i"] : [];
    const wall = isOutside ? undefined : this.#options.wall;
    const own = isOutside ? this.#outsideVariables() : this.#environment(this.#state.variables, wall);
    const variables = { ...own, PYTHONUNBUFFERED: "1" };
    const at = { cwd, report: "/dev/null", wall, env: variables, isBackground: true };
    const { call, env } = await this.#call({ script, command, flags }, at);
    const signal = linkSignals(options.signal, this.#ending.signal);
    // In the guardian's care from the first moment, before anything is waited for.
    let watched: Disposable | undefined;
    const onStart = (pid: number): void => {
      watched = this.#options.watch?.(pid);
    };
    const child = options.pty
      ? await (await import("../pty.ts")).ptyProcess(call, { env, signal, onStart })
      : await this.#spawnPiped(call, { env, signal, onStart });
    const ended = child.exit.finally(() => {
      watched?.[Symbol.dispose]();
      this.#running.delete(ended);
    });
    this.#running.add(ended);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error("the terminal was closed"));
    await Promise.allSettled([...this.#running]);
    await this.#spare[Symbol.asyncDispose]();
    await Promise.all(
      [...this.#left].map(async ([pid, watched]) => {
        await killGroup(pid, { graceMs: this.#graceMs });
        watched?.[Symbol.dispose]();
      }),
    );
    this.#left.clear();
    await this.#files[Symbol.asyncDispose]();
  }

  async #spawnPiped(
    call: ProgramCall,
    options: {
      readonly env: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
      onStart(pid: number): void;
    },
  ): Promise<TerminalProcess> {
    const { env, signal } = options;
    const child = await spawnProcess(call.program, call.args, { cwd: "/", env, signal, stdin: "pipe", graceMs: 5_000 });
    options.onStart(child.pid);
    return pipedProcess(child, signal);
  }

  async #run(
    shell: ShellRun,
    options: ExecOptions,
  ): Promise<{ readonly result: ExecResult; readonly report: ShellReport }> {
    const startedMs = performance.now();
    this.#state.offer(this.#options.moreVariables?.() ?? {});
    const before = { variables: this.#state.variables, functions: this.#files.functions };
    const reportFile = await this.#files.newReport();
    const output = new HeadTailBuffer();
    using limit = deadline(options.timeoutMs);
    const signal = linkSignals(options.signal, limit.signal, this.#ending.signal);
    const cwd = this.#absolute(options.cwd);
    const isOutside = options.isUnconfined === true;
    const wall = isOutside ? undefined : this.#options.wall;
    let exitCode = 130;
    let facts = { timedOut: false, interrupted: true, isStarted: false };
    if (!signal.aborted) {
      const env = isOutside ? this.#outsideVariables() : this.#environment(before.variables, wall);
      const start = { cwd, report: reportFile, wall, env, stdin: options.stdin };
      wall?.begin(shell.command);
      const { child, watched } = await this.#start(shell, start, signal).catch(async (error: unknown) => {
        await wall?.settle();
        throw error;
      });
      readOutput(child, output, options);
      exitCode = exitCodeOf(await child.exited);
      // Read at once: the limit may still run out while the report is being taken.
      facts = { timedOut: limit.signal.aborted, interrupted: signal.aborted, isStarted: true };
      this.#keepLeft(child.pid, watched);
    }
    const report = await this.#files.takeReport(reportFile);
    if (shell.keepsState) {
      this.#state.merge(await this.#withSessionCwd(report, options.cwd === undefined ? undefined : cwd), before);
      await this.#files.saveFunctions(this.#state.functions);
    }
    const ended = endOf({ report, ...facts });
    const notes = facts.isStarted ? await wall?.settle({ output: output.text(), exitCode }) : undefined;
    this.#prepareNext(options);
    return {
      report,
      result: {
        output: output.text(),
        exitCode: codeOf(ended, exitCode),
        ended,
        omittedBytes: output.omittedBytes,
        durationMs: Math.round(performance.now() - startedMs),
        notes,
        reached: wall?.takeReached(),
      },
    };
  }

  async #start(shell: ShellRun, start: RunStart, signal: AbortSignal): Promise<StartedShell> {
    const { cwd, report, wall, env, stdin } = start;
    if (wall !== undefined && this.#canWait(shell, start)) {
      const waiting = this.#waitingStart(shell.script, { cwd, wall, env });
      const started = await this.#spare.take(waiting, signal);
      started.child.stdin?.end(waitingInput(report, shell.command));
      return started;
    }
    const { call, env: outer } = await this.#call(shell, { cwd, report, wall, env, isBackground: false });
    const how = {
      cwd: "/",
      env: outer,
      signal,
      graceMs: this.#graceMs,
      keepDescendants: true,
      stdin: stdin === undefined ? "ignore" : "pipe",
    } as const;
    const child = await spawnProcess(call.program, call.args, how);
    child.stdin?.end(stdin);
    return { child, watched: this.#options.watch?.(child.pid) };
  }

  /** Whether the shell of a command may be one that was started before the command was known. */
  #canWait({ script, command, flags }: ShellRun, { wall, stdin }: Pick<RunStart, "wall" | "stdin">): boolean {
    if (process.platform !== "linux" || wall?.isInForce !== true || script !== plainForeground) return false;
    return flags.length === 0 && stdin === undefined && command.length <= longestRead && !command.includes("\0");
  }

  #waitingStart(
    script: string,
    { cwd, wall, env }: Pick<RunStart, "cwd" | "env"> & { readonly wall: TerminalWall },
  ): ShellStart {
    const args = ["-c", waitingScript(script), "hermes", cwd, this.#files.functionsFile];
    return this.#held({ program: this.#shell, args }, { cwd, wall, env, isBackground: false });
  }

  /** The next command will most likely start as this one did. */
  #prepareNext({ cwd, isUnconfined }: ExecOptions): void {
    const { wall } = this.#options;
    const next = { script: plainForeground, command: "", flags: this.#isLoginPerCall ? ["-l"] : [], keepsState: true };
    if (
      wall === undefined ||
      isUnconfined === true ||
      !this.#isBash ||
      !this.#canWait(next, { wall, stdin: undefined })
    )
      return;
    if (this.#ending.signal.aborted) return;
    this.#spare.prepare(() => {
      const env = this.#environment(this.#state.variables, wall);
      return this.#waitingStart(next.script, { cwd: this.#absolute(cwd), wall, env });
    });
  }

  /** A directory given for one command only does not become the directory of the session, unless the command moved. */
  async #withSessionCwd(report: ShellReport, asked: string | undefined): Promise<ShellReport> {
    if (asked === undefined || report.kind !== "complete") return report;
    const real = await localFiles.realPath(asked, this.#ending.signal).catch(() => asked);
    return report.cwd === real ? { ...report, cwd: this.#state.cwd } : report;
  }

  #absolute(cwd: string | undefined): string {
    if (cwd === undefined) return this.#state.cwd;
    if (cwd === "~" || cwd.startsWith("~/")) return path.join(this.home, cwd.slice(1));
    return path.resolve(this.#state.cwd, cwd);
  }

  async #call(
    shell: { readonly script: string; readonly command: string; readonly flags: readonly string[] },
    at: {
      readonly cwd: string;
      readonly report: string;
      readonly wall: TerminalWall | undefined;
      readonly env: Readonly<Record<string, string>>;
      readonly isBackground: boolean;
    },
  ): Promise<ShellStart> {
    const isOutside = shell.script === outsideScript;
    // A longer one would go through a file that programs inside can change before it is read.
    if (isOutside && Buffer.byteLength(shell.command) > longestArgument)
      throw new ToolFailure("This command is too long to run outside the sandbox. Write it into a script and run that");
    const command = await this.#files.commandArgument(shell.command);
    const functions = this.#files.functionsFile;
    const args = [...shell.flags, "-c", shell.script, "hermes", at.report, at.cwd, functions, command];
    const call = { program: this.#shell, args };
    return at.wall === undefined ? { call, env: at.env } : this.#held(call, { ...at, wall: at.wall });
  }

  /** Behind the wall, with the files of this terminal. */
  #held(
    plain: ProgramCall,
    at: Pick<RunStart, "cwd" | "env"> & { readonly wall: TerminalWall; readonly isBackground: boolean },
  ): ShellStart {
    const { call, env } = withoutLoaderVariables(plain, at.env);
    const { cwd, isBackground } = at;
    return { call: at.wall.confine(call, { cwd, isBackground, writable: [this.#files.folder, this.tempDir] }), env };
  }

  /** A yes is for exactly what was shown: no variable of the session counts, and no program that one of its programs could have put on the PATH. */
  #outsideVariables(): Record<string, string> {
    const own = ownEnvironment(this.#environment(this.#startVariables, undefined), [this.#options.cwd, this.tempDir]);
    return defined(own) as Record<string, string>;
  }

  /** The way out of the wall is for those inside only; shells remember it as they do every variable. */
  #environment(variables: ReadonlyMap<string, string>, wall: TerminalWall | undefined): Record<string, string> {
    const env = Object.fromEntries(variables);
    if (wall !== undefined) return { ...env, ...wall.environment };
    for (const [name, value] of Object.entries(this.#options.wall?.environment ?? {}))
      if (env[name] === value) delete env[name];
    return env;
  }

  #keepLeft(pid: number, watched: Disposable | undefined): void {
    for (const [group, watch] of this.#left) {
      if (signalGroup(group, 0)) continue;
      watch?.[Symbol.dispose]();
      this.#left.delete(group);
    }
    if (signalGroup(pid, 0)) this.#left.set(pid, watched);
    else watched?.[Symbol.dispose]();
  }
}

function readOutput(child: ProcessHandle, output: HeadTailBuffer, options: ExecOptions): void {
  const decoder = new TextDecoder("utf-8");
  const read = (chunk: Buffer): void => {
    output.push(chunk);
    options.onOutput?.(decoder.decode(chunk, { stream: true }));
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
}
