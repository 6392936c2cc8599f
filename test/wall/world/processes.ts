import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";

/** Programs of the user that run beside Hermes and must survive it. */
export class CanaryProcesses {
  readonly #children: ChildProcess[] = [];

  static start(token: string): CanaryProcesses {
    const processes = new CanaryProcesses();
    for (const name of ["postgres", "backup-daemon"]) {
      const child = spawn(`/opt/tools/bin/${name}`, ["100000"], {
        cwd: "/srv",
        detached: true,
        stdio: "ignore",
        env: { PATH: "/usr/bin", TOKEN: token },
      });
      processes.#children.push(child);
      mkdirSync("/srv/run", { recursive: true });
      writeFileSync(`/srv/run/${name}.pid`, `${child.pid}\n`);
    }
    return processes;
  }

  get pids(): readonly number[] {
    return this.#children.flatMap(({ pid }) => pid ?? []);
  }

  /** Names of those that are dead, stopped or starved. */
  harmed(): readonly string[] {
    return this.#children.flatMap((child) => {
      const state = child.exitCode !== null || child.signalCode !== null ? "gone" : stateOf(child.pid ?? 0);
      return state === "S" || state === "R" ? [] : [`${child.spawnfile} (${state})`];
    });
  }

  stop(): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

/** Every process there is, except the given ones and the first. */
export function otherProcesses(
  known: ReadonlySet<number>,
): readonly { readonly pid: number; readonly command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => pid !== 1 && !known.has(pid))
    .flatMap((pid) => {
      const state = stateOf(pid);
      if (state === undefined || state === "Z" || state === "X") return [];
      return { pid, command: commandOf(pid) };
    });
}

function stateOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2, text.lastIndexOf(")") + 3);
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
    return words === "" ? readlinkSync(`/proc/${pid}/exe`) : words;
  } catch {
    return "?";
  }
}
