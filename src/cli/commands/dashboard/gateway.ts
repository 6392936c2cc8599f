import type { GatewayProcess } from "#dashboard";
import { readTextFile } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson } from "#foundation/text/json";

type State = Readonly<Record<string, unknown>>;

/** The gateway as it runs now: a file that a process left behind when it died does not count. */
export async function gatewayProcesses(home: HermesHome): Promise<readonly GatewayProcess[]> {
  const { runningInstance, runningMembers } = await import("#gateway");
  const running = await runningInstance(home);
  const members = await runningMembers(home);
  const parsed = parseJson((await readTextFile(home.gatewayState, { maxBytes: 1_000_000 })) ?? "");
  const state: State = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const alone = running === undefined ? [] : [{ pid: running.pid, state: state["pid"] === running.pid ? state : {} }];
  return [...alone, ...members].map(processOf);
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
