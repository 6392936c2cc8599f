import type { Turn } from "./turn.ts";

/** What a model is told about its steps where the user wants that; empty while there are plenty. */
export function budgetHint(turn: Turn): string {
  const share = (turn.steps.limit - turn.steps.left) / turn.steps.limit;
  if (share >= 0.9) return "Note: more than 90 % of the steps for this request are used. Come to an end.";
  return share >= 0.7 ? "Note: more than 70 % of the steps for this request are used." : "";
}
