import { type Cost, promptTokens, type Usage } from "#conversation";
import { defined } from "#foundation/defined";
import type { Prices } from "../model-facts.ts";
import type { BillingMode, CostSource, PriceQuote } from "./pricing.ts";

/** A billionth of a dollar. Money is counted in whole ones, so sums never drift. */
export type NanoUsd = number;

const nanoPerUsd = 1_000_000_000;

export function toNanoUsd(usd: number): NanoUsd {
  return Math.round(usd * nanoPerUsd);
}

export function fromNanoUsd(nanoUsd: NanoUsd): number {
  return nanoUsd / nanoPerUsd;
}

export type PricedUsage =
  | { readonly kind: "priced"; readonly nanoUsd: NanoUsd }
  /** A kind of token was used that has no price; a partial sum would look like a total. */
  | { readonly kind: "unpriced"; readonly missing: readonly TokenKind[] };

type TokenKind = "input" | "output" | "cacheRead" | "cacheWrite";
const tokenKinds: readonly TokenKind[] = ["input", "output", "cacheRead", "cacheWrite"];

/** Tokens times prices, rounded once, at the end, to whole nano-dollars. */
export function priceUsage(usage: Usage, prices: Prices): PricedUsage {
  const rates = ratesFor(usage, prices);
  const missing = tokenKinds.filter((kind) => usage[kind] > 0 && rates[kind] === undefined);
  if (missing.length > 0) return { kind: "unpriced", missing };
  // Nano-dollars per million tokens are whole numbers for every real price; the product needs 64 bits and more.
  const millionths = tokenKinds.reduce(
    (sum, kind) => sum + whole(usage[kind]) * BigInt(toNanoUsd(rates[kind] ?? 0)),
    0n,
  );
  const request = toNanoUsd(prices.request ?? 0);
  return { kind: "priced", nanoUsd: Number((millionths + 500_000n) / 1_000_000n) + request };
}

function ratesFor(usage: Usage, prices: Prices): Prices {
  const { longContext } = prices;
  return longContext !== undefined && promptTokens(usage) > longContext.aboveTokens
    ? { ...prices, ...longContext }
    : prices;
}

function whole(count: number): bigint {
  return BigInt(Math.max(0, Math.round(Number.isFinite(count) ? count : 0)));
}

/** What one call cost, in the fields a session row keeps. */
export interface CallCost {
  /** What counts: what the provider said, else our estimate. */
  readonly cost: Cost;
  readonly estimatedUsd?: number;
  readonly actualUsd?: number;
  readonly source: CostSource;
  readonly billingMode: BillingMode;
  readonly pricingVersion?: string;
}

/** The cost of a call. `reportedUsd` is what the provider itself charged; the estimate stays beside it. */
export function costOfCall(usage: Usage, quote: PriceQuote, reportedUsd?: number): CallCost {
  const estimate = estimateOf(usage, quote);
  const billing = {
    billingMode: quote.billingMode,
    ...defined({ pricingVersion: quote.version }),
  };
  const common = { ...billing, ...defined({ estimatedUsd: estimate.usd }) };
  if (reportedUsd !== undefined && Number.isFinite(reportedUsd) && reportedUsd >= 0) {
    const source = "provider_cost_api";
    const cost = { status: "actual", source, usd: reportedUsd, ...billing } as const;
    return { ...common, source, actualUsd: reportedUsd, cost };
  }
  const source = estimate.status === "unknown" ? "none" : quote.source;
  return { ...common, source, cost: { ...estimate, ...billing } };
}

function estimateOf(usage: Usage, quote: PriceQuote): Cost {
  if (quote.isIncluded) return { status: "included", source: quote.source, usd: 0 };
  const priced = quote.prices === undefined ? undefined : priceUsage(usage, quote.prices);
  if (priced?.kind !== "priced") return { status: "unknown", source: "none" };
  return { status: "estimated", source: quote.source, usd: fromNanoUsd(priced.nanoUsd) };
}
