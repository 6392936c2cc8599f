import { zeroUsage } from "#conversation";
import { type NanoUsd, priceUsage, toNanoUsd } from "../catalog/cost.ts";
import type { PriceQuote } from "../catalog/pricing.ts";

/** What a call will probably cost, before it is made. */
export interface CallEstimate {
  readonly nanoUsd: NanoUsd;
  /** Nobody knows the price; the amount is assumed. */
  readonly isAssumed: boolean;
}

/** What a million tokens are taken to cost when nobody knows. Above most prices, so that a ceiling errs on the safe side. */
const assumedUsdPerMillion = 10;

/** Most answers are shorter; reserving the largest possible output would close every small budget at once. */
const expectedOutputTokens = 4_096;

export interface EstimatedCall {
  readonly promptTokens: number;
  readonly maxOutputTokens?: number;
  readonly quote: PriceQuote;
}

/** Everything is taken as fresh input: what the cache saves is given back when the call is settled. */
export function estimateCall(call: EstimatedCall): CallEstimate {
  if (call.quote.isIncluded) return { nanoUsd: 0, isAssumed: false };
  const output = Math.min(call.maxOutputTokens ?? expectedOutputTokens, expectedOutputTokens);
  const usage = { ...zeroUsage, input: Math.max(0, Math.ceil(call.promptTokens)), output };
  const priced = call.quote.prices === undefined ? undefined : priceUsage(usage, call.quote.prices);
  if (priced?.kind === "priced") return { nanoUsd: priced.nanoUsd, isAssumed: false };
  return { nanoUsd: assumedNano(usage.input + usage.output), isAssumed: true };
}

function assumedNano(tokens: number): NanoUsd {
  return Math.ceil((toNanoUsd(assumedUsdPerMillion) / 1_000_000) * Math.max(0, tokens));
}
