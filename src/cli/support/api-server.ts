import type { Hermes } from "#app";
import type { Deliverer } from "#cron";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord } from "#foundation/text/json";
import { systemClock } from "#foundation/time/clock";

export interface ApiHost {
  readonly hermes: Hermes;
  readonly cwd: string;
  /** The gateway of this process, where there is one. */
  readonly deliverer?: Deliverer | undefined;
  onReady(url: string): void;
}

type Facts = Readonly<Record<string, unknown>>;

/** What a gateway that is not there any more said last, where that is still true. */
const lastWords: ReadonlySet<unknown> = new Set(["stopped", "startup_failed"]);

/** Serves the HTTP API of a Hermes until the signal; refuses settings that would leave it open to others. */
export async function serveApiOf({ hermes, cwd, deliverer, onReady }: ApiHost, signal: AbortSignal): Promise<void> {
  const { apiSettings, serveApi } = await import("#api-server");
  const { home, loaded, logger, store, sessions, jobs, toolbox } = hermes;
  await serveApi(
    {
      settings: apiSettings(loaded.config, home.profileName),
      sessions,
      store,
      jobs,
      clock: systemClock,
      logger,
      cwd,
      deliverer,
      status: () => gatewayStatus(home),
      redact: (text) => toolbox.redact(text),
      onReady,
    },
    signal,
  );
}

/**
 * How the gateway of a home is, and this process. Only what living processes say counts: a gateway that was killed has left
 * connections and figures in its file, and none of them is true any more.
 */
async function gatewayStatus(home: HermesHome): Promise<Facts> {
  const { lastKnownState, runningProcesses } = await import("#gateway");
  const [living, last] = await Promise.all([runningProcesses(home), lastKnownState(home)]);
  const states = living.map(({ state }) => state);
  const [first] = states;
  return {
    status: "ok",
    platform: "hermes-agent",
    gateway_state: first === undefined ? endOf(last) : (first["gateway_state"] ?? "starting"),
    platforms: platformsOf(states),
    active_agents: numbers(states, "active_agents").reduce((sum, count) => sum + count, 0),
    event_loop_lag_ms: states.length === 0 ? null : Math.max(0, ...numbers(states, "event_loop_lag_ms")),
    exit_reason: (first ?? last)["exit_reason"] ?? null,
    updated_at: (first ?? last)["updated_at"] ?? null,
    processes: living.map(({ pid, state }) => ({
      pid,
      roles: state["roles"] ?? [],
      gateway_state: state["gateway_state"] ?? "starting",
      figures: state["figures"] ?? {},
    })),
    pid: process.pid,
  };
}

function endOf(last: Facts): unknown {
  const { gateway_state: state = null } = last;
  return state === null || lastWords.has(state) ? state : "died";
}

/** One process has an account and others stand by: the one that has it counts. */
function platformsOf(states: readonly Facts[]): Facts {
  const platforms = new Map<string, Facts>();
  for (const { platforms: named } of states)
    for (const [id, facts] of Object.entries(isRecord(named) ? named : {}))
      if (isRecord(facts) && platforms.get(id)?.["state"] !== "connected") platforms.set(id, facts);
  return Object.fromEntries(platforms);
}

function numbers(states: readonly Facts[], name: string): readonly number[] {
  return states.map((state) => state[name]).filter((value) => typeof value === "number");
}
