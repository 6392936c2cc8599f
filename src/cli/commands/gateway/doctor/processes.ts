import { stat } from "node:fs/promises";
import type { Config } from "#config";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord } from "#foundation/text/json";
import { lastKnownState, type Platform, runningProcesses } from "#gateway";
import type { Invocation } from "../../../command.ts";
import type { Check } from "../../doctor/check.ts";
import { serviceOf } from "../../service/open.ts";

/** The gateway's processes, as their files tell. */
export interface Processes {
  readonly pids: readonly number[];
  /** How each platform is, of all processes; empty when none runs. */
  readonly platforms: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly state: string;
}

export interface GatewayPatient {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: HermesHome;
  readonly processes: Processes;
  readonly platforms: readonly Platform[];
  readonly invocation: Invocation;
}

const section = "Process";

export async function readProcesses(home: HermesHome): Promise<Processes> {
  const living = await runningProcesses(home);
  const states = living.map(({ state }) => state);
  const platforms = new Map<string, Readonly<Record<string, unknown>>>();
  // One process has the account and others stand by: the one that has it counts.
  for (const { platforms: named } of states)
    for (const [id, facts] of Object.entries(isRecord(named) ? named : {}))
      if (isRecord(facts) && platforms.get(id)?.["state"] !== "connected") platforms.set(id, facts);
  return {
    pids: living.map(({ pid }) => pid),
    platforms,
    state: String((states[0] ?? (await lastKnownState(home)))["gateway_state"] ?? ""),
  };
}

/** Whether it runs, what a dead one left behind, and who can read the files of the state. */
export async function examineProcess({ home, processes, invocation }: GatewayPatient): Promise<readonly Check[]> {
  const { pids, state } = processes;
  const isInstalled = await serviceOf(invocation).isInstalled();
  const checks: Check[] = [];
  if (pids.length > 0)
    checks.push({ section, name: "runs", state: "ok", detail: `process ${pids.join(", ")}, ${state}` });
  else
    checks.push({
      section,
      name: "does not run",
      state: isInstalled ? "failed" : "warning",
      ...(state === "startup_failed" ? { detail: "no platform could be connected when it last started" } : {}),
      hint: isInstalled ? "Run: hermes gateway start" : "Run: hermes gateway run, or hermes gateway install",
    });
  if (pids.length === 0 && (await modeOf(home.gatewayPid)) !== undefined)
    checks.push({
      section,
      name: "gateway.pid",
      state: "warning",
      detail: "names a process that is gone",
      hint: "It ended without cleaning up (killed, or a power cut). The next start continues where it stopped.",
    });
  for (const file of [home.gatewayState, home.pairing, home.envFile, home.stateDb]) {
    const mode = process.platform === "win32" ? undefined : await modeOf(file);
    if (mode !== undefined && (mode & 0o077) !== 0)
      checks.push({
        section,
        name: file,
        state: file === home.envFile ? "failed" : "warning",
        detail: `others may read it (mode ${(mode & 0o777).toString(8)})`,
        hint: `Run: chmod go= ${file}`,
      });
  }
  return checks;
}

async function modeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.mode;
}
