/** `budget` of the configuration. A ceiling that is absent does not exist. */
export interface BudgetLimits {
  readonly sessionUsd?: number;
  readonly dayUsd?: number;
  readonly treeUsd?: number;
  /** Of each person by themselves. */
  readonly userDayUsd?: number;
  /** `soft` says so and lets the call through; `hard` refuses it. */
  readonly mode: "soft" | "hard";
  /** What becomes of calls to a model whose price nobody knows, while a hard ceiling is set. */
  readonly unknownPrice: "allow" | "refuse";
  /** What a million tokens are taken to cost when nobody knows. Above most prices, so that a ceiling errs on the safe side. */
  readonly assumedUsdPerMillionTokens?: number;
}

export const defaultAssumedUsdPerMillion = 10;

export function hasCeiling({ sessionUsd, dayUsd, treeUsd, userDayUsd }: BudgetLimits): boolean {
  return [sessionUsd, dayUsd, treeUsd, userDayUsd].some((limit) => limit !== undefined);
}
