import { constants } from "node:os";
import { defined } from "#foundation/defined";
import type { ProcessExit, ProcessHandle } from "#foundation/process/run";
import type { TerminalProcess } from "../contract/terminal.ts";
import { ListenedText } from "./listened-text.ts";
import { processStartedAtMs } from "./process-start-time.ts";

/** A child with pipes as a background process of a terminal. */
export async function pipedProcess(child: ProcessHandle, signal: AbortSignal): Promise<TerminalProcess> {
  const text = new ListenedText();
  const decoder = new TextDecoder("utf-8");
  const read = (chunk: Buffer): void => text.push(decoder.decode(chunk, { stream: true }));
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const exit = child.exited.then((end) => {
    text.push(decoder.decode());
    return exitCodeOf(end);
  });
  return {
    pid: child.pid,
    startedAtMs: await processStartedAtMs(child.pid, signal),
    onData: (listener) => text.listen(listener),
    exit,
    write: (data) => writeAll(child, data),
    closeInput() {
      child.stdin?.end();
      return Promise.resolve();
    },
    kill: (graceMs) => child.kill(defined({ graceMs })),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** The exit code, or the negative number of the signal that ended it. */
export function exitCodeOf(exit: ProcessExit): number {
  if (exit.exitCode !== null) return exit.exitCode;
  return exit.signal === null ? -1 : -constants.signals[exit.signal];
}

function writeAll(child: ProcessHandle, data: string): Promise<void> {
  const { stdin } = child;
  if (stdin === null || stdin.destroyed || stdin.writableEnded) {
    return Promise.reject(new Error("its input is closed"));
  }
  return new Promise((resolve, reject) => {
    stdin.write(data, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}
