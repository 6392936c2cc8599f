import type { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { ToolFailure } from "../contract/result.ts";
import { callService } from "../web/service-call.ts";

export interface HomeAssistantAccess {
  readonly url: string;
  readonly token: Secret;
}

const readTimeoutMs = 10_000;
const writeTimeoutMs = 15_000;

/** One call to the house. */
export async function callHouse(
  access: HomeAssistantAccess,
  path: string,
  how: { readonly json?: unknown; readonly signal: AbortSignal },
): Promise<unknown> {
  const answer = await callService(`${access.url.replace(/\/$/, "")}/api/${path}`, {
    token: access.token,
    timeoutMs: how.json === undefined ? readTimeoutMs : writeTimeoutMs,
    ...how,
  });
  if (answer.kind === "failed") throw new ToolFailure(`Home Assistant did not do it: ${answer.reason}`);
  return answer.value;
}

export const entityShape = /^[a-z_][a-z0-9_]*\.[a-z0-9_]+$/;
export const nameShape = /^[a-z][a-z0-9_]*$/;

/** Domains whose services run commands or code, or send requests anywhere. */
export const blockedDomains: ReadonlySet<string> = new Set([
  "shell_command",
  "command_line",
  "python_script",
  "pyscript",
  "hassio",
  "rest_command",
]);

export interface HouseAction {
  readonly domain: string;
  readonly service: string;
  readonly entityIds: readonly string[];
}

const guarded = /^(?:lock|alarm_control_panel)\.|^cover\..*(?:garage|gate)|^all$/;

/** Why an action needs a person's word, or undefined. Unlocking, alarms, garage doors and stopping the house do. */
export function riskOf({ domain, service, entityIds }: HouseAction): string | undefined {
  if (domain === "homeassistant" && (service === "restart" || service === "stop"))
    return `${service} Home Assistant itself`;
  if (domain === "lock" && (service === "unlock" || service === "open")) return "unlock a door";
  if (domain === "alarm_control_panel") return "operate the alarm system";
  const isCover = domain === "cover" && /^(?:open_cover|toggle|set_cover_position)$/.test(service);
  // Without a name every cover is meant, the garage among them.
  if (isCover && (entityIds.length === 0 || entityIds.some((id) => /garage|gate|\ball\b/.test(id))))
    return "open a garage door";
  // The generic services reach every kind of device.
  const isGeneric = domain === "homeassistant" && /^(?:turn_on|turn_off|toggle)$/.test(service);
  if (isGeneric && (entityIds.length === 0 || entityIds.some((id) => guarded.test(id))))
    return "operate a lock, an alarm or a garage door";
  return undefined;
}

/** The records of a list, whatever else is in it. */
export function records(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
