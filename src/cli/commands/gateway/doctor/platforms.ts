import { describe } from "#foundation/errors";
import { timeLimit } from "#foundation/lifecycle/abort";
import { openNetwork, type Platform } from "#gateway";
import type { Check } from "../../doctor/check.ts";
import { isSet } from "../credentials.ts";
import type { GatewayPatient } from "./processes.ts";
import type { TimeTeller } from "./wall-clock.ts";

interface Means {
  /** Learns the time from what platforms answer. */
  readonly time: TimeTeller;
  readonly isOffline: boolean;
}

const section = "Platforms";
const longestMs = 15_000;

/** Each platform: what must be set, whether its credential is accepted, how its connection is. */
export async function examinePlatforms(patient: GatewayPatient, means: Means): Promise<readonly Check[]> {
  if (patient.platforms.length === 0)
    return [{ section, name: "none is set up", state: "failed", hint: "Run: hermes gateway setup" }];
  return (await Promise.all(patient.platforms.map((platform) => examine(platform, patient, means)))).flat();
}

async function examine(platform: Platform, patient: GatewayPatient, means: Means): Promise<readonly Check[]> {
  const { id, label } = platform;
  const facts = patient.processes.platforms.get(id);
  const connection = facts === undefined ? [] : [connectionCheck(label, facts)];
  if (facts?.["state"] === "connected") return connection;
  const missing = platform.credentials.filter(
    ({ name, isOptional }) => isOptional !== true && !isSet(platform, name, patient.config),
  );
  if (missing.length > 0)
    return [
      ...connection,
      {
        section,
        name: label,
        state: "failed",
        detail: `${missing.map(({ variable }) => variable).join(", ")} ${missing.length === 1 ? "is" : "are"} not set`,
        hint: `Run: hermes gateway setup ${id}`,
      },
    ];
  return [...connection, await credentialCheck(platform, patient, means)];
}

function connectionCheck(label: string, facts: Readonly<Record<string, unknown>>): Check {
  const { state, error_message: why, updated_at: since } = facts;
  const words = typeof why === "string" ? `${String(state)}: ${why}` : String(state);
  return {
    section,
    name: label,
    state:
      state === "fatal" || state === "retrying"
        ? "failed"
        : state === "connected" || state === "standby"
          ? "ok"
          : "warning",
    detail: typeof since === "string" ? `${words} (since ${since})` : words,
  };
}

async function credentialCheck(platform: Platform, patient: GatewayPatient, means: Means): Promise<Check> {
  const { id, label } = platform;
  if (means.isOffline || platform.whoami === undefined)
    return { section, name: label, state: "ok", detail: "its credentials are set; they were not tested" };
  const signal = timeLimit(longestMs, patient.invocation.io.signal);
  try {
    await using network = openNetwork(platform, patient);
    const fetch = means.time.listeningTo(network.fetch);
    const name = await platform.whoami({ config: patient.config, fetch }, signal);
    return { section, name: label, state: "ok", detail: `its credential is accepted (${name})` };
  } catch (error) {
    const hint = `Check the network, or run: hermes gateway setup ${id}`;
    return { section, name: label, state: "failed", detail: describe(error), hint };
  }
}
