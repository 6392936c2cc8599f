import { deadline, linkSignals, onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { RemoteProcess } from "./remote-host.ts";

/** After a command said that it ended, how long a quiet client is waited for, and how long a busy one. */
const idleMs = 300;
const drainMs = 2_000;

/** Waits for the client to end, but not for a descendant of the command that keeps its pipes open. */
export async function drained(client: RemoteProcess, lagMs = 0): Promise<void> {
  using idle = deadline(idleMs + lagMs);
  using total = deadline(drainMs + 20 * lagMs);
  const restart = (): void => idle.restart();
  client.stdout.on("data", restart);
  const waited = new Deferred<"busy">();
  using _subscription = onAbort(linkSignals(idle.signal, total.signal), () => waited.resolve("busy"));
  const outcome = await Promise.race([client.exited, waited.promise]);
  client.stdout.off("data", restart);
  if (outcome === "busy") await client.kill({ graceMs: 200 });
}

export function writeTo(client: RemoteProcess, data: string): Promise<void> {
  const { stdin } = client;
  if (stdin === null || stdin.destroyed || stdin.writableEnded) {
    return Promise.reject(new Error("its input is closed"));
  }
  return new Promise((resolve, reject) => {
    stdin.write(data, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}
