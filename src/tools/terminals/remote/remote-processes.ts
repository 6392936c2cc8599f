import { linkSignals, never, onAbort, raceAbort } from "#foundation/lifecycle/abort";
import type { TerminalProcess } from "../../contract/terminal.ts";
import { ListenedText } from "../listened-text.ts";
import { endOfInput, NoPty, ptyProcess } from "../pty.ts";
import { backgroundScript, plainShellScript } from "../shell/shell-script.ts";
import { drained, writeTo } from "./client-streams.ts";
import type { RemoteHost, RemoteProcess } from "./remote-host.ts";
import { ptyScript } from "./remote-script.ts";
import type { RemoteShell, Run } from "./remote-shell.ts";

const graceMs = 1_000;
const backgroundGraceMs = 5_000;

/** A process in the background of a terminal elsewhere, with its run, which it gives back when it ended. */
export interface BackgroundRun {
  readonly host: RemoteHost;
  readonly shell: RemoteShell;
  readonly run: Run;
  readonly cwd: string;
  readonly command: string;
  /** The terminal is being closed. */
  readonly ending: AbortSignal;
}

/** With pipes. */
export async function spawnPiped(at: BackgroundRun, signal: AbortSignal): Promise<TerminalProcess> {
  const { shell, run } = at;
  const script = shell.isBash ? backgroundScript : plainShellScript;
  const { client, channel } = await shell.start({ run, script, cwd: at.cwd, command: at.command }, "pipe");
  const text = new ListenedText();
  const decoder = new TextDecoder("utf-8");
  client.stdout.on("data", (chunk: Buffer) => text.push(decoder.decode(chunk, { stream: true })));
  const kill = (grace = backgroundGraceMs): Promise<void> => shell.end(run, grace);
  const subscription = onAbort(linkSignals(signal, at.ending), () => void kill());
  const exit = Promise.race([client.exited, channel.ended]).then(async () => {
    await drained(client, at.host.lagMs);
    subscription[Symbol.dispose]();
    run[Symbol.dispose]();
    text.push(decoder.decode());
    channel.lost(shell.gone(channel));
    const code = channel.exitCode;
    // A shell says 128 and the number for a command that a signal ended.
    return code === undefined ? -1 : code > 128 && code < 160 ? 128 - code : code;
  });
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

/** Under a pseudo-terminal there: of the service itself, or of a client that has one here. */
export async function spawnPty(at: BackgroundRun, signal: AbortSignal): Promise<TerminalProcess> {
  const { host, shell, run } = at;
  const script = shell.isBash ? backgroundScript : plainShellScript;
  const own = [run.mark, shell.location.folder, run.slot, shell.location.shell, script, at.cwd, at.command];
  const argv = [shell.location.shell, "-c", ptyScript, "hermes", ...own];
  const child = await startUnderPty(host, argv);
  const kill = async (grace = backgroundGraceMs): Promise<void> => {
    await shell.end(run, grace);
    await child.kill(graceMs);
  };
  const subscription = onAbort(linkSignals(signal, at.ending), () => void kill());
  const exit = child.exit.finally(() => {
    subscription[Symbol.dispose]();
    run[Symbol.dispose]();
  });
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

type PtyChild = Pick<TerminalProcess, "onData" | "exit" | "write" | "closeInput" | "kill">;

async function startUnderPty(host: RemoteHost, argv: readonly string[]): Promise<PtyChild> {
  if (host.startUnderPty !== undefined) return streamedPty(await host.startUnderPty(argv));
  const call = host.underPty?.(argv);
  if (call === undefined) throw new NoPty(`a ${host.kind} terminal has no pseudo-terminals`);
  return ptyProcess(call, { env: { ...host.clientEnvironment }, signal: never, onStart: () => undefined });
}

function streamedPty(client: RemoteProcess): PtyChild {
  const text = new ListenedText();
  const decoder = new TextDecoder("utf-8");
  client.stdout.on("data", (chunk: Buffer) => text.push(decoder.decode(chunk, { stream: true })));
  client.stderr.resume();
  return {
    onData: (listener) => text.listen(listener),
    exit: client.exited.then(({ exitCode }) => {
      text.push(decoder.decode());
      return exitCode ?? -1;
    }),
    write: (data) => writeTo(client, data),
    closeInput: () => writeTo(client, endOfInput),
    kill: (grace) => client.kill({ graceMs: grace ?? graceMs }),
  };
}
