import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { defined } from "#foundation/defined";
import { never, sleep } from "#foundation/lifecycle/abort";
import { Stage } from "./stage.ts";

export interface DeploymentOptions {
  /** The lines of `config.yaml`. */
  readonly config: readonly string[];
  readonly env: string;
  /** PostgreSQL; absent keeps everything in the home's own file. */
  readonly url?: string | undefined;
  /** More variables of the processes. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** The state that a process of the gateway tells of itself. */
interface MemberState {
  readonly gateway_state?: string;
  readonly active_agents?: number;
  readonly platforms?: Readonly<Record<string, { readonly state: string }>>;
}

/** A process of the gateway, as a test sees it. */
export interface Member {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly home: string;
  state(): Promise<MemberState>;
  /** Resolves when it says that it runs, and that its platforms are connected. */
  ready(...platforms: readonly string[]): Promise<void>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

const startMs = 60_000;

/** A gateway of several processes of the built program, each on a machine (home) of its own, that share one database. */
export class Deployment implements AsyncDisposable {
  readonly #options: DeploymentOptions;
  readonly #stages: Stage[] = [];

  constructor(options: DeploymentOptions) {
    this.#options = options;
  }

  async machine(): Promise<Stage> {
    const { config, env, url } = this.#options;
    const lines = url === undefined ? config : [...config, `store: { url: "${url}" }`];
    const stage = await Stage.open({ config: lines.join("\n"), env });
    this.#stages.push(stage);
    return stage;
  }

  /** Starts a process with these roles; without any it does everything. */
  async start(roles: readonly string[] = [], on?: Stage): Promise<Member> {
    const stage = on ?? (await this.machine());
    const args = ["gateway", "run", ...(roles.length === 0 ? [] : ["--role", roles.join(",")])];
    const child = stage.start(args, defined({ env: this.#options.environment }));
    child.stdout?.resume();
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const pid = child.pid ?? 0;
    const file =
      roles.length === 0
        ? path.join(stage.home, "gateway_state.json")
        : path.join(stage.home, "gateways", `${pid}.json`);
    const state = async (): Promise<MemberState> => {
      const text = await readFile(file, "utf8").catch(() => "{}");
      const parsed = JSON.parse(text === "" ? "{}" : text) as MemberState & { pid?: number };
      return parsed.pid === pid ? parsed : {};
    };
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    return {
      child,
      pid,
      home: stage.home,
      state,
      async ready(...platforms) {
        const isReady = async (): Promise<string> => {
          if (hasEnded()) throw new Error(`the process has ended: ${said}`);
          const { gateway_state: now, platforms: known = {} } = await state();
          const missing = platforms.filter((one) => known[one]?.state !== "connected");
          return now === "running" && missing.length === 0 ? "ready" : `${now}: ${missing.join()} ${said}`;
        };
        const untilMs = Date.now() + startMs;
        for (let now = await isReady(); now !== "ready"; now = await isReady()) {
          if (Date.now() > untilMs) throw new Error(`the process is not ready: ${now}`);
          await sleep(100, never);
        }
      },
      async kill(signal = "SIGKILL") {
        if (hasEnded()) return;
        child.kill(signal);
        await once(child, "exit");
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stage of this.#stages) await stage[Symbol.asyncDispose]();
  }
}
