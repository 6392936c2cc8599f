import path from "node:path";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, onAbort, raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type {
  ExecOptions,
  ExecResult,
  SpawnOptions,
  Terminal,
  TerminalFiles,
  TerminalProcess,
} from "../../contract/terminal.ts";
import { looksLikeCredential } from "../environment-variables.ts";
import { HeadTailBuffer } from "../head-tail-buffer.ts";
import { codeOf, endOf } from "../shell/exec-end.ts";
import { describingScript, foregroundScript, plainShellScript, snapshotScript } from "../shell/shell-script.ts";
import { type ShellReport, ShellState } from "../shell/shell-state.ts";
import { stateText } from "../shell/state-text.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { drained } from "./client-streams.ts";
import { ControlChannel } from "./control-channel.ts";
import { programFiles } from "./program-files.ts";
import type { RemoteHost } from "./remote-host.ts";
import { spawnPiped, spawnPty } from "./remote-processes.ts";
import { openScript } from "./remote-script.ts";
import { type Location, newWord, RemoteShell } from "./remote-shell.ts";

export interface RemoteTerminalOptions {
  readonly taskId: string;
  /** Names what runs there as ours; letters, digits, dots and dashes. */
  readonly id: string;
  /** Where commands begin; empty: the home there. */
  readonly cwd: string;
  /** Set for every command, never in an argument. */
  readonly variables: Readonly<Record<string, string>>;
  /** What commands see besides, asked before each. */
  moreVariables?(): Readonly<Record<string, string>>;
  readonly blocked?: readonly string[] | undefined;
  /** Variables that stay although they look like credentials. */
  readonly passthrough?: readonly string[] | undefined;
  readonly logger: Logger;
  readonly snapshotTimeoutMs?: number | undefined;
  /** `terminal.persistent_shell`; true when left out. */
  readonly keepsState?: boolean | undefined;
}

const snapshotTimeoutMs = 30_000;

const ownOfShells = /^(?:_|SHLVL|PWD|OLDPWD|BASHOPTS|SHELLOPTS|__hermes_.*)$/;

/** Opens the terminal of a task on a machine elsewhere, which it owns from now on. */
export async function openRemoteTerminal(
  host: RemoteHost,
  options: RemoteTerminalOptions,
  signal: AbortSignal,
): Promise<Terminal> {
  try {
    return await open(host, options, signal);
  } catch (error) {
    await host[Symbol.asyncDispose]();
    throw error;
  }
}

async function open(host: RemoteHost, options: RemoteTerminalOptions, signal: AbortSignal): Promise<Terminal> {
  const word = newWord();
  const channel = new ControlChannel(word);
  using limit = deadline(options.snapshotTimeoutMs ?? snapshotTimeoutMs);
  const both = linkSignals(signal, limit.signal);
  const argv = ["sh", "-c", openScript, "hermes", word, options.id, snapshotScript([]), options.cwd, plainShellScript];
  const client = await host.start(argv, { stdin: "ignore", signal: both });
  client.stdout.resume();
  client.stderr.on("data", (chunk: Buffer) => channel.push(chunk));
  await client.exited;
  signal.throwIfAborted();
  const [home, tempDir, folder, shell, cwd, setsid] = channel.facts;
  if (home === undefined || tempDir === undefined || folder === undefined || shell === undefined || cwd === undefined) {
    const why = limit.signal.aborted ? "the first shell did not answer in time" : channel.words;
    throw new TerminalGone(`The ${host.kind} terminal could not be opened: ${why === "" ? "no shell ran" : why}`, {
      mayHaveRun: false,
    });
  }
  if (channel.report.kind === "none") options.logger.warn("no shell snapshot", { kind: host.kind });
  const location = { home, tempDir, folder, shell, cwd, hasSetsid: setsid !== undefined && setsid !== "" };
  return new RemoteTerminal(host, options, { location, report: channel.report });
}

/** A terminal whose commands run elsewhere; see `remote-script.ts` for how. */
class RemoteTerminal implements Terminal {
  readonly files: TerminalFiles;
  readonly #host: RemoteHost;
  readonly #options: RemoteTerminalOptions;
  readonly #shell: RemoteShell;
  readonly #state: ShellState;
  readonly #ending = new AbortController();
  readonly #closed = new Deferred<void>();
  readonly #running = new Set<Promise<unknown>>();
  /** Variables that shells have there by themselves. */
  readonly #base: readonly string[];
  #sent = "";
  #sending: Promise<void> = Promise.resolve();

  constructor(
    host: RemoteHost,
    options: RemoteTerminalOptions,
    { location, report }: { readonly location: Location; readonly report: ShellReport },
  ) {
    this.#host = host;
    this.#options = options;
    this.#shell = new RemoteShell(host, { location, id: options.id, logger: options.logger });
    this.files = host.files ?? programFiles(host);
    const found = report.kind === "complete" ? Object.fromEntries(report.variables) : {};
    this.#base = Object.keys(found).filter((name) => !ownOfShells.test(name));
    const passthrough = new Set(options.passthrough);
    const own = Object.entries(found).filter(
      ([name, value]) => !ownOfShells.test(name) && (passthrough.has(name) || !looksLikeCredential(name, value)),
    );
    this.#state = new ShellState({
      cwd: report.kind === "complete" ? report.cwd : location.cwd,
      variables: { ...Object.fromEntries(own), ...options.variables, HOME: location.home },
      ...defined({ blocked: options.blocked }),
    });
    if (report.kind === "complete") this.#state.functions = report.functions;
  }

  get kind() {
    return this.#host.kind;
  }

  get taskId(): string {
    return this.#options.taskId;
  }

  get isPersistent(): boolean {
    return this.#host.isPersistent;
  }

  get cwd(): string {
    return this.#state.cwd;
  }

  get home(): string {
    return this.#shell.location.home;
  }

  get tempDir(): string {
    return this.#shell.location.tempDir;
  }

  async exec(command: string, options: ExecOptions): Promise<ExecResult> {
    this.#mustBeOpen();
    return this.#tracked(this.#exec(command, options));
  }

  async spawn(command: string, options: SpawnOptions): Promise<TerminalProcess> {
    await this.#connected(() => this.#prepare(options.signal), options.signal);
    const run = this.#shell.newRun();
    const at = {
      host: this.#host,
      shell: this.#shell,
      run,
      cwd: this.#absolute(options.cwd),
      command: await this.#shell.argument(command, run, options.signal),
      ending: this.#ending.signal,
    };
    const child = await (options.pty ? spawnPty(at, options.signal) : spawnPiped(at, options.signal));
    void this.#tracked(child.exit);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ending.signal.aborted) return this.#closed.promise;
    this.#ending.abort(new Error("the terminal was closed"));
    await Promise.allSettled([...this.#running]);
    try {
      await this.#shell.end(undefined);
    } finally {
      await this.#host[Symbol.asyncDispose]();
      this.#closed.resolve();
    }
  }

  async #exec(command: string, options: ExecOptions): Promise<ExecResult> {
    const startedMs = performance.now();
    using limit = deadline(options.timeoutMs);
    const signal = linkSignals(options.signal, limit.signal, this.#ending.signal);
    const output = new HeadTailBuffer();
    let ended: ExecResult["ended"] = "interrupted";
    let exitCode = 130;
    try {
      signal.throwIfAborted();
      const before = { variables: this.#state.variables, functions: this.#state.functions };
      const cwd = this.#absolute(options.cwd);
      const channel = await this.#connected(() => this.#run({ command, cwd, output }, options, signal), signal);
      ended = endOf({ report: channel.report, timedOut: limit.signal.aborted, interrupted: signal.aborted });
      exitCode = channel.exitCode ?? 130;
      if (this.#options.keepsState ?? true) this.#learn(channel.report, { before, asked: options.cwd && cwd });
    } catch (error) {
      // Stopped on the way to its start: that is an end like any other.
      if (!signal.aborted) throw error;
      if (limit.signal.aborted) ended = "timed-out";
    }
    return {
      output: output.text(),
      exitCode: codeOf(ended, exitCode),
      ended,
      omittedBytes: output.omittedBytes,
      durationMs: Math.round(performance.now() - startedMs),
    };
  }

  /** What certainly did not begin is tried once more over a new connection, where there can be one. */
  async #connected<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { reconnect } = this.#host;
      const isLost = error instanceof TerminalGone && !error.mayHaveRun;
      if (!isLost || reconnect === undefined || this.#ending.signal.aborted) throw error;
      await reconnect(signal);
      this.#sent = "";
      return work();
    }
  }

  /** A command from its start to the moment nothing more is heard of it. */
  async #run(
    request: { readonly command: string; readonly cwd: string; readonly output: HeadTailBuffer },
    options: ExecOptions,
    signal: AbortSignal,
  ): Promise<ControlChannel> {
    await this.#prepare(signal);
    const shell = this.#shell;
    using run = shell.newRun();
    const command = await shell.argument(request.command, run, signal);
    const hasExec = /\bexec\b/.test(request.command);
    const describes = shell.isBash && shell.location.hasSetsid && !hasExec;
    const script = describes ? describingScript : shell.isBash ? foregroundScript({ hasExec }) : plainShellScript;
    const { client, channel } = await shell.start(
      { run, script, describes, drains: options.stdin !== undefined, cwd: request.cwd, command },
      options.stdin === undefined ? "ignore" : "pipe",
    );
    const decoder = new TextDecoder("utf-8");
    client.stdout.on("data", (chunk: Buffer) => {
      request.output.push(chunk);
      options.onOutput?.(decoder.decode(chunk, { stream: true }));
    });
    client.stdin?.end(options.stdin);
    const killed = new Deferred<void>();
    using _subscription = onAbort(signal, () => killed.resolve(shell.end(run)));
    await Promise.race([client.exited, channel.ended, killed.promise]);
    // The shell tells its end before what it started is gone; a stopped command is over when nothing of it is left.
    if (signal.aborted) await killed.promise;
    await drained(client, this.#host.lagMs);
    if (channel.exitCode === undefined && !signal.aborted) throw shell.gone(channel);
    return channel;
  }

  /** Before anything runs: files that follow are there, and the variables are. */
  async #prepare(signal: AbortSignal): Promise<void> {
    this.#mustBeOpen();
    await this.#host.refresh?.(signal);
    this.#state.offer(this.#options.moreVariables?.() ?? {});
    const wanted = stateText(this.#state, this.#base);
    if (wanted === this.#sent) return;
    this.#sending = this.#sending
      .catch(() => undefined)
      .then(async () => {
        await this.#shell.keep("state.sh", wanted);
        this.#sent = wanted;
      });
    await raceAbort(this.#sending, signal);
  }

  #learn(
    report: ShellReport,
    at: {
      readonly before: { readonly variables: ReadonlyMap<string, string>; readonly functions: string };
      readonly asked: string | undefined;
    },
  ): void {
    // A directory given for one command only does not become that of the session, unless the command moved.
    const stays = at.asked !== undefined && report.kind === "complete" && report.cwd === at.asked;
    this.#state.merge(stays ? { ...report, cwd: this.#state.cwd } : report, at.before);
  }

  #absolute(cwd: string | undefined): string {
    if (cwd === undefined) return this.#state.cwd;
    if (cwd === "~" || cwd.startsWith("~/")) return path.posix.join(this.home, cwd.slice(1));
    return path.posix.resolve(this.#state.cwd, cwd);
  }

  #mustBeOpen(): void {
    if (this.#ending.signal.aborted) throw new TerminalGone("the terminal is closed", { mayHaveRun: false });
  }

  async #tracked<T>(running: Promise<T>): Promise<T> {
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}
