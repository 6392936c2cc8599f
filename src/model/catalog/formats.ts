import type { Cost } from "#conversation";

/** A cost for people: `$0.06`, `~$0.06`, `included`, `n/a`. */
export function formatCost(cost: Cost): string {
  switch (cost.status) {
    case "included":
      return "included";
    case "unknown":
      return "n/a";
    case "actual":
      return cost.usd === undefined ? "n/a" : formatUsd(cost.usd);
    case "estimated":
      return cost.usd === undefined ? "n/a" : `~${formatUsd(cost.usd)}`;
  }
}

/** Cents from one cent on; below that, enough digits to tell something from nothing. */
export function formatUsd(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}
