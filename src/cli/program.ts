import { systemErrorCode } from "#foundation/errors";
import type { CommandIo } from "./command.ts";
import { exitCodes, replacedCode } from "./command.ts";
import { runLine } from "./run-line.ts";

/** The program behind the launcher: words typed in, exit code out. */
export async function main(args: readonly string[]): Promise<void> {
  // Whoever reads us may stop reading (`hermes … | head`); that is no error of anyone.
  process.stdout.on("error", (error: Error) => process.exit(systemErrorCode(error) === "EPIPE" ? 0 : 1));
  const stop = new AbortController();
  const removeHandlers = onSignals(stop);
  const io: CommandIo = {
    // Opened by who reads it: a question on the command line needs none.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    signal: stop.signal,
  };
  try {
    const code = await runLine(args, io);
    process.exitCode = shellCode(code, stop.signal.aborted);
  } finally {
    removeHandlers();
  }
  // Everything that had to be kept was kept by its owner. Leaving now spares taking the whole program apart.
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit();
}

function shellCode(code: number, wasStopped: boolean): number {
  if (code === replacedCode) return exitCodes.ok;
  return wasStopped && code === exitCodes.ok ? exitCodes.interrupted : code;
}

/** Settles when all that was written has gone out, or never will. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}

/** The first signal asks the command to end; whoever asks twice does not want to wait for it. */
function onSignals(stop: AbortController): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const ask = (): void => {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted);
    stop.abort(new DOMException("Hermes was asked to stop.", "AbortError"));
  };
  for (const signal of signals) process.on(signal, ask);
  return () => {
    for (const signal of signals) process.off(signal, ask);
  };
}
