import { toNanoUsd } from "../catalog/cost.ts";

/** Where a ceiling holds: one conversation, one day over all of them, one delegated task with all below it. */
export type Ceiling = "session" | "day" | "tree";

/** `budget` of the configuration. A ceiling that is absent does not exist. */
export interface BudgetLimits {
  readonly sessionUsd?: number;
  readonly dayUsd?: number;
  readonly treeUsd?: number;
  /** `soft` says so and lets the call through; `hard` refuses it. */
  readonly mode: "soft" | "hard";
  /** What becomes of calls to a model whose price nobody knows, while a hard ceiling is set. */
  readonly unknownPrice: "allow" | "refuse";
  /** What a million tokens are taken to cost when nobody knows. Above most prices, so that a ceiling errs on the safe side. */
  readonly assumedUsdPerMillionTokens?: number;
}

export const defaultAssumedUsdPerMillion = 10;

export function ceilingNano(limits: BudgetLimits, ceiling: Ceiling): number | undefined {
  const usd = { session: limits.sessionUsd, day: limits.dayUsd, tree: limits.treeUsd }[ceiling];
  return usd === undefined ? undefined : toNanoUsd(usd);
}

export function hasCeiling(limits: BudgetLimits): boolean {
  return limits.sessionUsd !== undefined || limits.dayUsd !== undefined || limits.treeUsd !== undefined;
}
