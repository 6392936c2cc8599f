import type { CeilingReached } from "#conversation";
import { formatUsd } from "../catalog/formats.ts";
import type { ReserveOutcome, Standing } from "./gate.ts";

const names: Readonly<Record<CeilingReached["ceiling"], { readonly what: string; readonly key: string }>> = {
  session: { what: "this session", key: "budget.session_usd" },
  day: { what: "today", key: "budget.daily_usd" },
  user: { what: "one person today", key: "budget.user_daily_usd" },
  tree: { what: "this delegated task", key: "budget.delegation_tree_usd" },
};

/** Why a call was not made, and how to go on. */
export function describeRefusal(refused: Extract<ReserveOutcome, { kind: "refused" }>): string {
  if (refused.reason === "unknown-price")
    return "A spending limit is set, but the price of this model is unknown. Set one under pricing.overrides, or set budget.unknown_price to allow.";
  return `${describeCeiling(refused)} Raise ${names[refused.ceiling].key} to continue.`;
}

/** What of a limit is used. */
export function describeStanding({ ceiling, spentUsd, limitUsd, isEstimated }: Standing): string {
  const used = `${formatUsd(spentUsd)} of ${formatUsd(limitUsd)} for ${names[ceiling].what}`;
  return isEstimated ? `about ${used} (partly estimated: the server reported no counts)` : used;
}

/** What a soft limit says when it is passed. */
export function describeCeiling(reached: CeilingReached): string {
  const { what } = names[reached.ceiling];
  return `The limit of ${formatUsd(reached.limitUsd)} for ${what} is reached (${formatUsd(reached.spentUsd)} spent or set aside).`;
}

export const assumedPriceNotice = "The price of this model is unknown; an assumed price is counted against the budget.";
