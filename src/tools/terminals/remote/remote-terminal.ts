import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, never, onAbort, raceAbort } from "#foundation/lifecycle/abort";
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
import { ListenedText } from "../listened-text.ts";
import { codeOf, endOf } from "../shell/exec-end.ts";
import {
  backgroundScript,
  describingScript,
  foregroundScript,
  plainShellScript,
  quote,
  snapshotScript,
} from "../shell/shell-script.ts";
import { type ShellReport, ShellState } from "../shell/shell-state.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { drained, writeTo } from "./client-streams.ts";
import { ControlChannel } from "./control-channel.ts";
import { programFiles } from "./program-files.ts";
import type { RemoteHost, RemoteProcess } from "./remote-host.ts";
import { keepScript, killScript, openScript, ptyScript, runScript } from "./remote-script.ts";
import { stateText } from "./state-text.ts";

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

/** One command on its way: what marks it for good, and the name of its files, which the next one may have. */
interface Run extends Disposable {
  readonly mark: string;
  readonly slot: string;
}

/** Facts of the machine, found by the first shell. */
interface Location {
  readonly home: string;
  readonly tempDir: string;
  readonly folder: string;
  readonly shell: string;
  readonly cwd: string;
}

const snapshotTimeoutMs = 30_000;
const graceMs = 1_000;
const backgroundGraceMs = 5_000;
/** One argument of a program may have 128 KiB, and quoting for a shell on the way makes it longer. */
const longestCommand = 24_000;

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
  const [home, tempDir, folder, shell, cwd] = channel.facts;
  if (home === undefined || tempDir === undefined || folder === undefined || shell === undefined || cwd === undefined) {
    const why = limit.signal.aborted ? "the first shell did not answer in time" : channel.words;
    throw new TerminalGone(`The ${host.kind} terminal could not be opened: ${why === "" ? "no shell ran" : why}`, {
      mayHaveRun: false,
    });
  }
  if (channel.report.kind === "none") options.logger.warn("no shell snapshot", { kind: host.kind });
  return new RemoteTerminal(host, options, { location: { home, tempDir, folder, shell, cwd }, report: channel.report });
}

/** A terminal whose commands run elsewhere; see `remote-script.ts` for how. */
class RemoteTerminal implements Terminal {
  readonly files: TerminalFiles;
  readonly #host: RemoteHost;
  readonly #options: RemoteTerminalOptions;
  readonly #location: Location;
  readonly #state: ShellState;
  readonly #ending = new AbortController();
  readonly #closed = new Deferred<void>();
  readonly #running = new Set<Promise<unknown>>();
  /** Variables that shells have there by themselves. */
  readonly #base: readonly string[];
  readonly #slots = new Set<number>();
  #runs = 0;
  #sent = "";
  #sending: Promise<void> = Promise.resolve();

  constructor(
    host: RemoteHost,
    options: RemoteTerminalOptions,
    { location, report }: { readonly location: Location; readonly report: ShellReport },
  ) {
    this.#host = host;
    this.#options = options;
    this.#location = location;
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
      ...(options.blocked === undefined ? {} : { blocked: options.blocked }),
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
    return this.#location.home;
  }

  get tempDir(): string {
    return this.#location.tempDir;
  }

  async exec(command: string, options: ExecOptions): Promise<ExecResult> {
    this.#mustBeOpen();
    return this.#tracked(this.#exec(command, options));
  }

  async spawn(command: string, options: SpawnOptions): Promise<TerminalProcess> {
    await this.#connected(() => this.#prepare(options.signal), options.signal);
    const run = this.#newRun();
    const at = { run, cwd: this.#absolute(options.cwd), command: await this.#argument(command, run, options.signal) };
    return options.pty ? this.#spawnPty(at, options.signal) : this.#spawnPiped(at, options.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ending.signal.aborted) return this.#closed.promise;
    this.#ending.abort(new Error("the terminal was closed"));
    await Promise.allSettled([...this.#running]);
    try {
      await this.#end(undefined);
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
    using run = this.#newRun();
    const command = await this.#argument(request.command, run, signal);
    const hasExec = /\bexec\b/.test(request.command);
    const describes = this.#isBash && !hasExec;
    const script = describes ? describingScript : this.#isBash ? foregroundScript({ hasExec }) : plainShellScript;
    const { client, channel } = await this.#start(
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
    using _subscription = onAbort(signal, () => killed.resolve(this.#end(run)));
    await Promise.race([client.exited, channel.ended, killed.promise]);
    await drained(client, this.#host.lagMs);
    if (channel.exitCode === undefined && !signal.aborted) throw this.#gone(channel);
    return channel;
  }

  /** Starts the text around a command; the command itself runs when the channel says so. */
  async #start(
    at: {
      readonly run: Run;
      readonly script: string;
      readonly describes?: boolean;
      readonly drains?: boolean;
      readonly cwd: string;
      readonly command: string;
    },
    stdin: "pipe" | "ignore",
  ): Promise<{ readonly client: RemoteProcess; readonly channel: ControlChannel }> {
    const word = newWord();
    const channel = new ControlChannel(word);
    const { shell, folder } = this.#location;
    const own = [word, at.run.mark, folder, at.run.slot, shell, at.script, at.cwd, at.command];
    const flags = [at.describes === true ? "describes" : "", at.drains === true ? "drains" : ""];
    // Not tied to the signal: what runs inside is ended first, and then tells its end itself.
    const client = await this.#host.start([shell, "-c", runScript, "hermes", ...own, ...flags], {
      stdin,
      signal: never,
    });
    client.stderr.on("data", (chunk: Buffer) => channel.push(chunk));
    return { client, channel };
  }

  async #spawnPiped(
    at: { readonly run: Run; readonly cwd: string; readonly command: string },
    signal: AbortSignal,
  ): Promise<TerminalProcess> {
    const script = this.#isBash ? backgroundScript : plainShellScript;
    const { client, channel } = await this.#start({ ...at, script }, "pipe");
    const text = new ListenedText();
    const decoder = new TextDecoder("utf-8");
    client.stdout.on("data", (chunk: Buffer) => text.push(decoder.decode(chunk, { stream: true })));
    const kill = (grace = backgroundGraceMs): Promise<void> => this.#end(at.run, grace);
    const subscription = onAbort(linkSignals(signal, this.#ending.signal), () => void kill());
    const exit = Promise.race([client.exited, channel.ended]).then(async () => {
      await drained(client, this.#host.lagMs);
      subscription[Symbol.dispose]();
      at.run[Symbol.dispose]();
      text.push(decoder.decode());
      channel.lost(this.#gone(channel));
      const code = channel.exitCode;
      // A shell says 128 and the number for a command that a signal ended.
      return code === undefined ? -1 : code > 128 && code < 160 ? 128 - code : code;
    });
    void this.#tracked(exit);
    const pid = await raceAbort(channel.begun, signal);
    return {
      pid,
      startedAtMs: undefined,
      onData: (listener) => text.listen(listener),
      exit,
      write: (data) => writeTo(client, data),
      closeInput() {
        client.stdin?.end();
        return Promise.resolve();
      },
      kill,
      async [Symbol.asyncDispose]() {
        await kill();
        await exit;
      },
    };
  }

  async #spawnPty(
    at: { readonly run: Run; readonly cwd: string; readonly command: string },
    signal: AbortSignal,
  ): Promise<TerminalProcess> {
    const { ptyProcess, NoPty } = await import("../pty.ts");
    const { shell, folder } = this.#location;
    const script = this.#isBash ? backgroundScript : plainShellScript;
    const own = [at.run.mark, folder, at.run.slot, shell, script, at.cwd, at.command];
    const call = this.#host.underPty?.([shell, "-c", ptyScript, "hermes", ...own]);
    if (call === undefined) throw new NoPty(`a ${this.kind} terminal has no pseudo-terminals`);
    const env = { ...this.#host.clientEnvironment };
    const child = await ptyProcess(call, { env, signal: never, onStart: () => undefined });
    const kill = async (grace = backgroundGraceMs): Promise<void> => {
      await this.#end(at.run, grace);
      await child.kill(graceMs);
    };
    const subscription = onAbort(linkSignals(signal, this.#ending.signal), () => void kill());
    const exit = child.exit.finally(() => {
      subscription[Symbol.dispose]();
      at.run[Symbol.dispose]();
    });
    void this.#tracked(exit);
    return {
      pid: undefined,
      startedAtMs: undefined,
      onData: (listener) => child.onData(listener),
      exit,
      write: (data) => child.write(data),
      closeInput: () => child.closeInput(),
      kill,
      async [Symbol.asyncDispose]() {
        await kill();
        await exit;
      },
    };
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
        await this.#keep(`${this.#location.folder}/state.sh`, wanted);
        this.#sent = wanted;
      });
    await raceAbort(this.#sending, signal);
  }

  async #keep(file: string, text: string): Promise<void> {
    const client = await this.#host.start(["sh", "-c", keepScript, "hermes", file], { stdin: "pipe", signal: never });
    let words = "";
    client.stdout.resume();
    client.stderr.on("data", (chunk: Buffer) => {
      words = `${words}${chunk.toString()}`.slice(-2_000);
    });
    client.stdin?.end(text);
    const { exitCode } = await client.exited;
    if (exitCode !== 0) throw new TerminalGone(this.#goneText(words.trim()), { mayHaveRun: false });
  }

  /** The command as an argument; one that is too long goes through a file. */
  async #argument(command: string, run: Run, signal: AbortSignal): Promise<string> {
    if (Buffer.byteLength(command) <= longestCommand) return command;
    const file = `${this.#location.folder}/command-${run.slot}.sh`;
    await raceAbort(this.#keep(file, command), signal);
    return `. ${quote(file)}`;
  }

  /** Ends a run, or everything of this terminal. The machine may be gone: then nothing runs there. */
  async #end(run: Run | undefined, grace = graceMs): Promise<void> {
    using limit = deadline(grace + 10_000);
    const tenths = String(Math.ceil(grace / 100));
    const argv = [
      "sh",
      "-c",
      killScript,
      "hermes",
      this.#location.folder,
      run?.slot ?? "",
      run?.mark ?? this.#mark(""),
      tenths,
    ];
    try {
      const client = await this.#host.start(argv, { stdin: "ignore", signal: limit.signal });
      client.stdout.resume();
      client.stderr.resume();
      await client.exited;
    } catch (error) {
      this.#options.logger.info("a remote command could not be ended", { kind: this.kind, reason: String(error) });
    }
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

  #gone(channel: ControlChannel): TerminalGone {
    return new TerminalGone(this.#goneText(channel.words), { mayHaveRun: channel.isStarted });
  }

  #goneText(words: string): string {
    return `the ${this.kind} terminal was lost${words === "" ? "" : `: ${words}`}`;
  }

  /** Its slot is free again when it is disposed. */
  #newRun(): Run {
    this.#runs += 1;
    let slot = 1;
    while (this.#slots.has(slot)) slot += 1;
    this.#slots.add(slot);
    return {
      mark: this.#mark(String(this.#runs)),
      slot: String(slot),
      [Symbol.dispose]: () => void this.#slots.delete(slot),
    };
  }

  /** The mark of one run, or what the marks of all of them begin with. */
  #mark(run: string): string {
    return `${this.#options.id}-${run}`;
  }

  get #isBash(): boolean {
    return path.posix.basename(this.#location.shell) === "bash";
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

function newWord(): string {
  return `hermes:${randomBytes(8).toString("hex")}:`;
}
