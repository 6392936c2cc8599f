import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import { largestWindow, listedPrices, type Prices, readWindow, windowFields } from "../../model-facts.ts";

/** One model as an endpoint lists it. */
export interface ListedModel {
  readonly id: string;
  readonly label?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Paths the model answers on, where the list says (Copilot). */
  readonly endpoints?: readonly string[];
  readonly efforts?: readonly string[];
  /** Absent: the list does not say. */
  readonly supportsImages?: boolean;
  readonly prices?: Prices;
}

/** The window an entry names, wherever it stands; numbers that cannot be a window are ignored. */
export function windowIn(entry: Readonly<Record<string, unknown>>): number | undefined {
  const locations = [entry, entry.meta, entry.top_provider, entry.limits, capabilityLimits(entry)];
  for (const location of locations) {
    if (!isRecord(location)) continue;
    for (const field of windowFields) {
      const window = readWindow(location[field]);
      if (window !== undefined) return window;
    }
  }
  return undefined;
}

function capabilityLimits(entry: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  if (!isRecord(entry.capabilities) || !isRecord(entry.capabilities.limits)) return undefined;
  const { limits } = entry.capabilities;
  return { ...limits, context_window: limits.max_context_window_tokens, max_output_tokens: limits.max_output_tokens };
}

export function toListedModel(entry: Readonly<Record<string, unknown>>): ListedModel | undefined {
  const id =
    nonEmpty(entry.id) ?? nonEmpty(entry.slug) ?? nonEmpty(entry.key) ?? nonEmpty(entry.model) ?? nonEmpty(entry.name);
  if (id === undefined || id.length > 300) return undefined;
  const window = windowIn(entry);
  const output = outputIn(entry);
  const label = nonEmpty(entry.display_name);
  const efforts = effortsIn(entry);
  return {
    id: id.replace(/^models\//, ""),
    ...defined({ label, contextWindow: window, maxOutputTokens: output, efforts, prices: listedPrices(entry.pricing) }),
    ...(Array.isArray(entry.supported_endpoints) ? { endpoints: entry.supported_endpoints.filter(isText) } : {}),
    ...imagesIn(entry),
  };
}

function outputIn(entry: Readonly<Record<string, unknown>>): number | undefined {
  const locations = [entry, entry.top_provider, capabilityLimits(entry)];
  for (const location of locations) {
    if (!isRecord(location)) continue;
    for (const key of ["max_output_tokens", "max_completion_tokens", "output_token_limit"]) {
      const value = location[key];
      if (typeof value === "number" && value > 0 && value <= largestWindow) return Math.floor(value);
    }
  }
  return undefined;
}

/** `input_modalities`, `modalities` or `capabilities`, as servers write them. */
function imagesIn(entry: Readonly<Record<string, unknown>>): Pick<ListedModel, "supportsImages"> {
  const { architecture, capabilities } = entry;
  const inputs = [
    entry.input_modalities,
    entry.modalities,
    isRecord(architecture) ? architecture.input_modalities : [],
  ];
  const listed = inputs.find((one): one is readonly unknown[] => Array.isArray(one) && one.length > 0);
  if (listed !== undefined) return { supportsImages: listed.includes("image") || listed.includes("vision") };
  if (Array.isArray(capabilities)) return { supportsImages: capabilities.includes("vision") };
  const vision = isRecord(capabilities) ? capabilities.vision : undefined;
  return typeof vision === "boolean" ? { supportsImages: vision } : {};
}

function effortsIn(entry: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const supports = isRecord(entry.capabilities) ? entry.capabilities.supports : undefined;
  const listed = isRecord(supports) ? supports.reasoning_effort : undefined;
  return Array.isArray(listed) ? listed.filter(isText) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
