import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { killGroup, signalGroup } from "#foundation/process/run";
import type { TerminalProcess } from "../contract/terminal.ts";
import { ListenedText } from "./listened-text.ts";
import { processStartedAtMs } from "./process-start-time.ts";

const rows = 30;
const columns = 120;
const graceMs = 5_000;
/** What a person types to end the input. */
export const endOfInput = "\u0004";

/** There is no pseudo-terminal here: the library or the device is missing. */
export class NoPty extends Error {
  override readonly name: string = "NoPty";
}

/** Runs a program under a pseudo-terminal. It leads its own session, so ending its group ends it all. */
export async function ptyProcess(
  call: { readonly program: string; readonly args: readonly string[] },
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    /** Told the number of the process before anything else is done. */
    onStart(pid: number): void;
  },
): Promise<TerminalProcess> {
  options.signal.throwIfAborted();
  const child = await open(call, options.env);
  options.onStart(child.pid);
  const text = new ListenedText();
  const ended = new Deferred<number>();
  child.onData((data) => text.push(data));
  child.onExit(({ exitCode, signal }) => ended.resolve(signal === undefined || signal === 0 ? exitCode : -signal));
  const kill = async (grace = graceMs): Promise<void> => {
    // An interactive shell ignores a polite end, but not the loss of its terminal.
    signalGroup(child.pid, "SIGHUP");
    await killGroup(child.pid, { graceMs: grace });
  };
  const subscription = onAbort(options.signal, () => void kill());
  const exit = ended.promise.finally(() => subscription[Symbol.dispose]());
  return {
    pid: child.pid,
    startedAtMs: await processStartedAtMs(child.pid, options.signal),
    onData: (listener) => text.listen(listener),
    exit,
    write(data) {
      child.write(data);
      return Promise.resolve();
    },
    closeInput() {
      child.write(endOfInput);
      return Promise.resolve();
    },
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await exit;
    },
  };
}

async function open(
  call: { readonly program: string; readonly args: readonly string[] },
  env: Readonly<Record<string, string>>,
) {
  try {
    const library = await import("@lydell/node-pty");
    return library.spawn(call.program, [...call.args], {
      name: "xterm-256color",
      rows,
      cols: columns,
      cwd: "/",
      env: { ...env, TERM: "xterm-256color" },
    });
  } catch (error) {
    throw new NoPty("no pseudo-terminal can be opened on this machine", { cause: error });
  }
}
