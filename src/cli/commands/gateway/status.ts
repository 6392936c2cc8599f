import { isRecord } from "#foundation/text/json";
import { lastKnownState, runningInstance, runningMembers } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { serviceMeant } from "../service/open.ts";
import type { Service, UnitState } from "../service/service.ts";
import { noteConflicts } from "./control.ts";

type Facts = Readonly<Record<string, unknown>>;

/** `hermes gateway status`: `--deep` asks the service manager, `--full` shows everything the processes last said. */
export async function gatewayStatus(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { on, service } = await serviceMeant(invocation);
  const home = homeOf(on);
  const running = await runningInstance(home);
  const state = await lastKnownState(home);
  const members = await runningMembers(home);
  const isInstalled = await service.isInstalled();
  const unit = isInstalled ? await service.state() : undefined;
  const isRunning = running !== undefined || members.length > 0;
  const isOutside = running !== undefined && unit !== undefined && unit.pid !== running.pid;
  out.document({
    is_running: isRunning,
    pid: running?.pid ?? null,
    service: isInstalled ? service.name : null,
    unit: unit === undefined ? null : { manager: service.manager, state: unit.text, pid: unit.pid ?? null },
    is_outside_service: isOutside,
    state,
    members: members.map((member) => member.state),
  });
  if (running !== undefined) out.line(`The gateway is running (process ${running.pid}).`);
  else if (members.length === 0) out.line("The gateway is not running.");
  out.line(
    `Service: ${isInstalled ? service.name : `not installed (${hasFlag(invocation, "system") ? "sudo hermes gateway install --system" : "hermes gateway install"})`}`,
  );
  if (hasFlag(invocation, "deep") && isInstalled) for (const line of unitLines(service, unit)) out.line(line);
  await noteConflicts(service, out);
  if (isOutside)
    out.note(
      `! The gateway (process ${running.pid}) was not started by the service ${service.name}, which will not restart it. Let the service run it: hermes gateway restart`,
    );
  // What a gateway that was killed said last is not so any more.
  const isTrue = running !== undefined || (members.length === 0 && hasEndedWell(state));
  const isFull = hasFlag(invocation, "full");
  if (isFull) for (const line of reportLines(state)) out.line(line);
  if (isTrue || isFull) for (const line of platformLines(state, isFull)) out.line(line);
  for (const { pid, state: own } of members) {
    const roles = Array.isArray(own["roles"]) ? own["roles"].join(", ") : "";
    out.line(`Process ${pid}: ${roles}, ${String(own["gateway_state"] ?? "starting")}`);
    if (isFull) for (const line of reportLines(own)) out.line(line);
    for (const line of platformLines(own, isFull)) out.line(line);
  }
  return isRunning ? exitCodes.ok : exitCodes.failed;
}

function hasEndedWell({ gateway_state: state }: Facts): boolean {
  return state === "stopped" || state === "startup_failed";
}

function unitLines({ manager, file }: Service, unit: UnitState | undefined): readonly string[] {
  const process = unit?.pid === undefined ? "no process" : `process ${unit.pid}`;
  return [`  ${manager}: ${unit === undefined ? "no answer" : `${unit.text}, ${process}`}`, `  file: ${file}`];
}

/** When a process last said something of itself, and what. */
function reportLines({
  updated_at: at,
  gateway_state: state,
  active_agents: turns,
  event_loop_lag_ms: lagMs,
  exit_reason: reason,
}: Facts): readonly string[] {
  if (typeof at !== "string") return [];
  const end = typeof reason === "string" ? [`  ended: ${reason}`] : [];
  const figures = `turns running: ${String(turns ?? 0)}, event loop lag: ${String(lagMs ?? 0)} ms`;
  return [`Last report (${at}): ${String(state)}, ${figures}`, ...end];
}

function platformLines({ platforms }: Facts, isFull: boolean): readonly string[] {
  return Object.entries(isRecord(platforms) ? platforms : {}).map(([id, one]) => {
    const facts = isRecord(one) ? one : {};
    const why = typeof facts["error_message"] === "string" ? `: ${facts["error_message"]}` : "";
    const since = isFull && typeof facts["updated_at"] === "string" ? ` since ${facts["updated_at"]}` : "";
    const inVain =
      isFull && typeof facts["retrying_since"] === "string" ? ` (not reached since ${facts["retrying_since"]})` : "";
    return `  ${id}  ${String(facts["state"])}${since}${inVain}${why}`;
  });
}
