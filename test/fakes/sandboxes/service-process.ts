import { fork } from "node:child_process";
import { once } from "node:events";

/** A service that is played in a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  readonly port: number;
  /** How many of its sandboxes run. */
  running(): Promise<number>;
  /** Takes away the sandbox that came last. */
  destroy(): Promise<void>;
}

export async function startService(program: string, args: readonly string[]): Promise<ServiceProcess> {
  const child = fork(program, [...args], { execArgv: ["--conditions=hermes-source", "--import", "tsx"] });
  const [started] = (await once(child, "message")) as [{ readonly port: number }];
  const ask = async (what: string): Promise<number> => {
    child.send(what);
    const [answer] = (await once(child, "message")) as [{ readonly running: number }];
    return answer.running;
  };
  return {
    port: started.port,
    running: () => ask("count"),
    async destroy() {
      await ask("destroy");
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.send("close");
      await once(child, "exit");
    },
  };
}
