import { isRecord, parseJson } from "#foundation/text/json";
import { assertApproved } from "../../approval/assert-approved.ts";
import type { ApprovalGate } from "../../contract/approval-request.ts";
import type { ToolContext } from "../../contract/context.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result, ToolFailure, type ToolResult } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import {
  blockedDomains,
  callHouse,
  entityShape,
  type HomeAssistantAccess,
  nameShape,
  records,
  riskOf,
} from "../../media/home-assistant.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

export interface HomeAssistantDeps {
  /** Undefined without a token: the tools are unavailable then. */
  access(): HomeAssistantAccess | undefined;
  readonly gate: ApprovalGate;
}

/** The four tools of a smart home. */
export function createHomeAssistantTools(deps: HomeAssistantDeps): readonly Tool[] {
  const common = {
    toolset: "homeassistant",
    emoji: "🏠",
    requiresEnv: ["HASS_TOKEN"],
    check: () => (deps.access() === undefined ? { reason: "HASS_TOKEN is not set" } : (true as const)),
  };
  const reader = { ...common, concurrency: "safe", effects: "none" } as const;
  const domain = { type: "string", description: "For example light" } as const;
  const entity = { type: "string", description: "For example light.kitchen" } as const;
  return [
    defineTool({
      ...reader,
      name: "ha_list_entities",
      description: "List devices and sensors of the smart home with their states, all or of one domain or room.",
      parameters: { type: "object", properties: { domain, area: { type: "string", description: "A room, by name" } } },
      run: (args, context) => listEntities(deps, args, context),
    }),
    defineTool({
      ...reader,
      name: "ha_get_state",
      description: "Read everything about one device or sensor of the smart home.",
      parameters: { type: "object", properties: { entity_id: entity }, required: ["entity_id"] },
      run: (args, context) => getState(deps, args.entity_id, context),
    }),
    defineTool({
      ...reader,
      name: "ha_list_services",
      description: "List the actions each kind of device supports, for ha_call_service.",
      parameters: { type: "object", properties: { domain } },
      run: (args, context) => listServices(deps, args.domain, context),
    }),
    defineTool({
      ...common,
      name: "ha_call_service",
      isIdempotent: false,
      description: "Perform an action on a device of the smart home, such as turning a light on.",
      parameters: {
        type: "object",
        properties: {
          domain,
          service: { type: "string", description: "For example turn_on" },
          entity_id: entity,
          data: { type: "string", description: 'Further fields as a JSON object, for example {"brightness": 120}' },
        },
        required: ["domain", "service"],
      },
      // Some models write the object itself.
      adapt: (args) => (isRecord(args["data"]) ? { ...args, data: JSON.stringify(args["data"]) } : args),
      effects: "elsewhere",
      run: (args, context) => callAction(deps, args, context),
    }),
  ];
}

function accessOf(deps: HomeAssistantDeps): HomeAssistantAccess {
  const access = deps.access();
  if (access === undefined) throw new ToolFailure("Home Assistant is not set up: HASS_TOKEN is missing.");
  return access;
}

async function listEntities(
  deps: HomeAssistantDeps,
  wanted: { readonly domain?: string | undefined; readonly area?: string | undefined },
  { signal }: ToolContext,
): Promise<ToolResult> {
  const domain = optionalName(wanted.domain, "domain");
  const area = wanted.area?.trim().toLowerCase() ?? "";
  const states = records(await callHouse(accessOf(deps), "states", { signal }));
  const entities = states
    .map((state) => {
      const attributes = isRecord(state["attributes"]) ? state["attributes"] : {};
      const name = String(attributes["friendly_name"] ?? "");
      return {
        entity_id: String(state["entity_id"]),
        state: state["state"],
        friendly_name: name,
        area: String(attributes["area"] ?? ""),
      };
    })
    .filter((entity) => domain === undefined || entity.entity_id.startsWith(`${domain}.`))
    .filter((entity) => area === "" || `${entity.friendly_name}\n${entity.area}`.toLowerCase().includes(area))
    .map(({ area: _area, ...shown }) => shown);
  return result({ result: { count: entities.length, entities } });
}

async function getState(deps: HomeAssistantDeps, id: string, { signal }: ToolContext): Promise<ToolResult> {
  if (!entityShape.test(id)) throw new ToolFailure(`Invalid entity_id format: ${shown(id)}`);
  const state = await callHouse(accessOf(deps), `states/${id}`, { signal });
  if (!isRecord(state)) throw new ToolFailure(`Home Assistant knows nothing about ${id}.`);
  const { entity_id, attributes, last_changed, last_updated } = state;
  return result({ result: { entity_id, state: state["state"], attributes, last_changed, last_updated } });
}

async function listServices(
  deps: HomeAssistantDeps,
  domain: string | undefined,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const wanted = optionalName(domain, "domain");
  const found = records(await callHouse(accessOf(deps), "services", { signal }))
    .filter((entry) => wanted === undefined || entry["domain"] === wanted)
    .map((entry) => ({ domain: entry["domain"], services: describeServices(entry["services"]) }));
  return result({ result: { count: found.length, domains: found } });
}

function describeServices(services: unknown): Record<string, unknown> {
  if (!isRecord(services)) return {};
  return Object.fromEntries(
    Object.entries(services).map(([name, about]) => {
      const fields = isRecord(about) && isRecord(about["fields"]) ? Object.keys(about["fields"]) : [];
      const description = isRecord(about) && typeof about["description"] === "string" ? about["description"] : "";
      return [name, { description, ...(fields.length === 0 ? {} : { fields }) }];
    }),
  );
}

interface Action {
  readonly domain: string;
  readonly service: string;
  readonly entity_id?: string | undefined;
  readonly data?: string | undefined;
}

async function callAction(deps: HomeAssistantDeps, action: Action, context: ToolContext): Promise<ToolResult> {
  const domain = requiredName(action.domain, "domain");
  const service = requiredName(action.service, "service");
  if (blockedDomains.has(domain))
    throw new ToolFailure(
      `Services of ${domain} are not called from here: they run commands or reach beyond the house.`,
    );
  const data = readData(action.data ?? "");
  const { entity_id = "" } = action;
  if (entity_id !== "" && !entityShape.test(entity_id))
    throw new ToolFailure(`Invalid entity_id format: ${shown(entity_id)}`);
  const body = { ...data, ...(entity_id === "" ? {} : { entity_id }) };
  const access = accessOf(deps);
  const [name, entityIds] = [`${domain}.${service}`, entitiesOf(body)];
  const risk = riskOf({ domain, service, entityIds });
  if (risk !== undefined) {
    const summary = `${name} ${entityIds.join(", ")}`.trim();
    const asked = { tool: "ha_call_service", summary, key: `home assistant ${name}`, description: risk };
    await assertApproved(deps.gate, asked, context);
  }
  const changed = records(
    await callHouse(access, `services/${domain}/${service}`, { json: body, signal: context.signal }),
  );
  const affected = changed.map((state) => ({ entity_id: state["entity_id"], state: state["state"] }));
  return result({ result: { success: true, service: name, affected_entities: affected } });
}

/** All entities a call names: in its own field, in `data`, and in a target. */
function entitiesOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  const target = isRecord(body["target"]) ? body["target"]["entity_id"] : undefined;
  return [body["entity_id"], target].flat().filter((id): id is string => typeof id === "string");
}

function readData(text: string): Record<string, unknown> {
  if (text === "") return {};
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) throw new ToolFailure("data must be a JSON object in a string");
  return parsed.value;
}

function requiredName(name: string, what: string): string {
  if (!nameShape.test(name)) throw new ToolFailure(`Invalid ${what} format: ${shown(name)}`);
  return name;
}

function optionalName(name: string | undefined, what: string): string | undefined {
  return name === undefined || name === "" ? undefined : requiredName(name, what);
}

function shown(text: string): string {
  return JSON.stringify(text).slice(0, 100);
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ home }) => (home === undefined ? [] : createHomeAssistantTools(home));
