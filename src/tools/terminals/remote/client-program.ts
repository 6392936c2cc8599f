import { spawnProcess } from "#foundation/process/run";
import type { ProgramCall } from "../local/local-terminal.ts";
import type { RemoteProcess } from "./remote-host.ts";

/** Runs a client (docker, ssh, apptainer) on this machine, in the guardian's care until it ends. */
export async function startClient(
  call: ProgramCall,
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly stdin: "pipe" | "ignore";
    readonly signal: AbortSignal;
    watch?(pid: number): Disposable;
  },
): Promise<RemoteProcess> {
  const { env, stdin, signal } = options;
  const child = await spawnProcess(call.program, call.args, { cwd: "/", env, stdin, signal, graceMs: 500 });
  const watched = options.watch?.(child.pid);
  void child.exited.then(() => watched?.[Symbol.dispose]());
  return child;
}
