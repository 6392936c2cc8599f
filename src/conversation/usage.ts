/** Tokens of one or more model calls, by kind. The kinds never overlap: cached input is not in `input`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Part of `output` that was spent on reasoning. */
  readonly reasoning: number;
  /** The server counted nothing for at least a part of it. */
  readonly isEstimated?: true | undefined;
}

export const zeroUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    reasoning: left.reasoning + right.reasoning,
    ...(left.isEstimated === true || right.isEstimated === true ? { isEstimated: true as const } : {}),
  };
}

/** Everything the model had to read, from cache or not. */
export function promptTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

export function totalTokens(usage: Usage): number {
  return promptTokens(usage) + usage.output;
}

/** `unknown` is never counted as zero: a sum that holds an unknown part says so. */
export type CostStatus = "actual" | "estimated" | "included" | "unknown";

export interface Cost {
  readonly status: CostStatus;
  /** Where the price came from, for example `provider`, `catalog`, `override`. */
  readonly source: string;
  /** Undefined when the status is `unknown`. */
  readonly usd?: number;
  /** How the provider bills, for example `subscription_included`; of single calls, not of sums. */
  readonly billingMode?: string;
  /** The state of the table the price was read from; of single calls, not of sums. */
  readonly pricingVersion?: string;
}

export const unknownCost: Cost = { status: "unknown", source: "none" };

const statusRank: Readonly<Record<CostStatus, number>> = { actual: 0, included: 1, estimated: 2, unknown: 3 };

/** The sum, with the less certain of the two statuses. */
export function addCost(left: Cost, right: Cost): Cost {
  const worse = statusRank[left.status] >= statusRank[right.status] ? left : right;
  const sum = (left.usd ?? 0) + (right.usd ?? 0);
  const known = left.usd !== undefined || right.usd !== undefined;
  return { status: worse.status, source: worse.source, ...(known ? { usd: sum } : {}) };
}
