import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import { type Capability, listedPrices, type ModelFacts, readWindow, windowFields } from "../model-facts.ts";
import { plainModelName } from "./model-name.ts";

const outputFields = ["max_completion_tokens", "max_output_tokens", "max_tokens"];
const maxEntries = 20_000;

/** Everything a `/models` answer says, by id. Unreadable entries are left out, never an error. */
export function readModelList(body: unknown): ReadonlyMap<string, ModelFacts> {
  const found = new Map<string, ModelFacts>();
  for (const entry of entriesIn(body).slice(0, maxEntries)) {
    const id = isRecord(entry) ? (entry["id"] ?? entry["slug"] ?? entry["model"] ?? entry["name"]) : undefined;
    if (isRecord(entry) && typeof id === "string" && id !== "") found.set(id, factsOf(entry));
  }
  return found;
}

function entriesIn(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return [];
  const list = body["data"] ?? body["models"];
  return Array.isArray(list) ? list : [];
}

function factsOf(entry: Readonly<Record<string, unknown>>): ModelFacts {
  const contextWindow = windowOf(entry);
  const maxOutputTokens = outputOf(entry);
  const prices = listedPrices(entry["pricing"]);
  const parameters = strings(entry["supported_parameters"]);
  const capabilities = capabilitiesOf(entry, parameters);
  return {
    ...defined({ contextWindow, maxOutputTokens, capabilities, prices, parameters }),
  };
}

function windowOf(entry: Readonly<Record<string, unknown>>): number | undefined {
  const locations = [entry, entry["meta"], capabilityLimits(entry), entry["top_provider"], entry["limits"]];
  for (const location of locations) {
    if (!isRecord(location)) continue;
    for (const field of [...windowFields, "max_context_window_tokens", "max_prompt_tokens"]) {
      const value = readWindow(location[field]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** Copilot's place for them. */
function capabilityLimits(entry: Readonly<Record<string, unknown>>): unknown {
  return isRecord(entry["capabilities"]) ? entry["capabilities"]["limits"] : undefined;
}

function outputOf(entry: Readonly<Record<string, unknown>>): number | undefined {
  for (const location of [entry["top_provider"], capabilityLimits(entry), entry]) {
    if (!isRecord(location)) continue;
    for (const field of outputFields) {
      const value = location[field];
      if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    }
  }
  return undefined;
}

function capabilitiesOf(
  entry: Readonly<Record<string, unknown>>,
  parameters: readonly string[] | undefined,
): readonly Capability[] | undefined {
  const architecture = isRecord(entry["architecture"]) ? entry["architecture"] : {};
  const inputs = strings(architecture["input_modalities"]);
  const supports = isRecord(entry["capabilities"]) ? entry["capabilities"]["supports"] : undefined;
  if (isRecord(supports)) {
    return [
      ...(supports["tool_calls"] === true ? (["tools"] as const) : []),
      ...(supports["vision"] === true ? (["vision"] as const) : []),
      ...(supports["reasoning_effort"] !== undefined || supports["max_thinking_budget"] !== undefined
        ? (["reasoning"] as const)
        : []),
    ];
  }
  if (inputs === undefined && parameters === undefined) return undefined;
  return [
    ...(parameters === undefined || parameters.includes("tools") ? (["tools"] as const) : []),
    ...(inputs?.includes("image") ? (["vision"] as const) : []),
    ...(parameters?.includes("reasoning") ? (["reasoning"] as const) : []),
  ];
}

function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : undefined;
}

/** The entry meant by a name: the same id, or the same name written otherwise. */
export function findListed(list: ReadonlyMap<string, ModelFacts>, model: string): ModelFacts | undefined {
  const exact = list.get(model);
  if (exact !== undefined) return exact;
  const name = plainModelName(model);
  return [...list].find(([id]) => plainModelName(id) === name)?.[1];
}
