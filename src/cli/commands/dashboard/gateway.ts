import type { GatewayProcess } from "#dashboard";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord } from "#foundation/text/json";

type State = Readonly<Record<string, unknown>>;

/** The gateway as it runs now: a file that a process left behind when it died does not count. */
export async function gatewayProcesses(home: HermesHome): Promise<readonly GatewayProcess[]> {
  const { runningProcesses } = await import("#gateway");
  return (await runningProcesses(home)).map(processOf);
}

function processOf({ pid, state }: { readonly pid: number; readonly state: State }): GatewayProcess {
  const { roles, platforms, active_agents: turns, gateway_state: word } = state;
  return {
    pid,
    state: typeof word === "string" ? word : "starting",
    roles: Array.isArray(roles) ? roles.map(String) : [],
    runningTurns: typeof turns === "number" ? turns : 0,
    platforms: Object.entries(isRecord(platforms) ? platforms : {}).map(([id, one]) => {
      const facts = isRecord(one) ? one : {};
      const problem = facts["error_message"];
      return { id, state: String(facts["state"]), problem: typeof problem === "string" ? problem : undefined };
    }),
  };
}
