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
}

export function hasCeiling({ sessionUsd, dayUsd, treeUsd, userDayUsd }: BudgetLimits): boolean {
  return [sessionUsd, dayUsd, treeUsd, userDayUsd].some((limit) => limit !== undefined);
}
