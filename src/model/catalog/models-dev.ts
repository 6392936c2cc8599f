import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import { type Capability, type ModelFacts, type Prices, readPrice, readWindow } from "../model-facts.ts";
import { plainModelName } from "./model-name.ts";
import { catalogueFacts } from "./provider-facts.ts";

export const modelsDevUrl = "https://models.dev/api.json";

/** Facts by the catalogue's provider id and model id. */
export type ModelsDev = ReadonlyMap<string, ReadonlyMap<string, ModelFacts>>;

/** Reads the catalogue; undefined when it is not one. Entries that make no sense are left out. */
export function readModelsDev(body: unknown): ModelsDev | undefined {
  if (!isRecord(body)) return undefined;
  const providers = new Map<string, ReadonlyMap<string, ModelFacts>>();
  for (const [id, provider] of Object.entries(body)) {
    const models = isRecord(provider) ? provider["models"] : undefined;
    if (!isRecord(models)) continue;
    const facts = Object.entries(models).flatMap(([model, entry]) =>
      isRecord(entry) ? [[model, factsOf(entry)] as const] : [],
    );
    if (facts.length > 0) providers.set(id, new Map(facts));
  }
  return providers.size === 0 ? undefined : providers;
}

export function modelsDevFacts(catalogue: ModelsDev, provider: string, model: string): ModelFacts | undefined {
  const models = catalogue.get(catalogueFacts(provider).name ?? provider);
  if (models === undefined) return undefined;
  const exact = models.get(model);
  if (exact !== undefined) return exact;
  const name = plainModelName(model);
  return [...models].find(([id]) => plainModelName(id) === name)?.[1];
}

function factsOf(entry: Readonly<Record<string, unknown>>): ModelFacts {
  const limit = isRecord(entry["limit"]) ? entry["limit"] : {};
  const contextWindow = readWindow(limit["context"]);
  const output = limit["output"];
  const prices = pricesOf(entry["cost"]);
  return {
    ...defined({ contextWindow }),
    ...(typeof output === "number" && Number.isInteger(output) && output > 0 ? { maxOutputTokens: output } : {}),
    capabilities: capabilitiesOf(entry),
    ...defined({ prices }),
  };
}

function capabilitiesOf(entry: Readonly<Record<string, unknown>>): readonly Capability[] {
  const modalities = isRecord(entry["modalities"]) ? entry["modalities"]["input"] : undefined;
  return [
    ...(entry["tool_call"] === true ? (["tools"] as const) : []),
    ...(Array.isArray(modalities) && modalities.includes("image") ? (["vision"] as const) : []),
    ...(entry["reasoning"] === true ? (["reasoning"] as const) : []),
  ];
}

function pricesOf(cost: unknown): Prices | undefined {
  if (!isRecord(cost)) return undefined;
  const base = tokenPrices(cost);
  if (base.input === undefined && base.output === undefined) return undefined;
  const over = cost["context_over_200k"];
  const longContext = isRecord(over) ? { aboveTokens: 200_000, ...tokenPrices(over) } : undefined;
  return { ...base, ...defined({ longContext }) };
}

function tokenPrices(cost: Readonly<Record<string, unknown>>): Omit<Prices, "longContext" | "request"> {
  const input = readPrice(cost["input"], "per-million");
  const output = readPrice(cost["output"], "per-million");
  const cacheRead = readPrice(cost["cache_read"], "per-million");
  const cacheWrite = readPrice(cost["cache_write"], "per-million");
  return {
    ...defined({ input, output, cacheRead, cacheWrite }),
  };
}
