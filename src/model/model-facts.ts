import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";

/** What a model can take and do besides text in, text out. */
export type Capability = "tools" | "vision" | "reasoning";

/** Dollars per million tokens; a kind of token without a price is unknown, never free. */
export interface Prices {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Dollars per request, on top. */
  readonly request?: number;
  /** Other prices for the whole request once the prompt is larger than this. */
  readonly longContext?: Omit<Prices, "request" | "longContext"> & { readonly aboveTokens: number };
}

/** What one source says about one model; what it does not say is absent. */
export interface ModelFacts {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Complete where present: a capability that is not listed is one the source denies. */
  readonly capabilities?: readonly Capability[];
  readonly prices?: Prices;
  /** Request parameters the endpoint says it takes, where it says so. */
  readonly parameters?: readonly string[];
}

/** The names servers give to the size of the window, in the order they are believed. */
export const windowFields: readonly string[] = [
  "context_length",
  "context_window",
  "max_context_length",
  "max_position_embeddings",
  "max_model_len",
  "max_input_tokens",
  "max_sequence_length",
  "max_seq_len",
  "n_ctx_train",
  "n_ctx",
  "ctx_size",
];

const smallestWindow = 1_024;
export const largestWindow = 10_000_000;

/** A number of tokens from the outside, or undefined when it cannot be a context window. */
export function readWindow(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) return undefined;
  return number >= smallestWindow && number <= largestWindow ? number : undefined;
}

/** A price from the outside: dollars per million tokens, not negative; `perToken` multiplies. */
export function readPrice(value: unknown, unit: "per-million" | "per-token" | "per-request"): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number) || number < 0) return undefined;
  const dollars = unit === "per-token" ? number * 1_000_000 : number;
  // Prices arrive as 0.00000015 and the like; a nano-dollar is the smallest unit anything is counted in.
  return Math.round(dollars * 1e9) / 1e9;
}

/** `pricing` of an entry in a list of models, in dollars per token. */
export function listedPrices(pricing: unknown): Prices | undefined {
  if (!isRecord(pricing)) return undefined;
  const input = readPrice(pricing["prompt"] ?? pricing["input"], "per-token");
  const output = readPrice(pricing["completion"] ?? pricing["output"], "per-token");
  const cacheRead = readPrice(pricing["input_cache_read"] ?? pricing["cache_read"], "per-token");
  const cacheWrite = readPrice(pricing["input_cache_write"] ?? pricing["cache_write"], "per-token");
  const request = readPrice(pricing["request"], "per-request");
  if (input === undefined && output === undefined) return undefined;
  return {
    ...defined({ input, output, cacheRead, cacheWrite }),
    ...(request === undefined || request === 0 ? {} : { request }),
  };
}
