import { imagesOf, type Message, textOf, type Violation, violations } from "#conversation";
import { latestRequest } from "./plan.ts";
import { stripSummary } from "./summary-message.ts";

/** Why a compressed history must not be used; undefined when it may. Faults the history had before are not held against it. */
export function problemWith(before: readonly Message[], after: readonly Message[]): string | undefined {
  const known = countByRule(violations(before));
  const found = violations(after);
  for (const [rule, count] of countByRule(found))
    if (count > (known.get(rule) ?? 0)) return found.find((one) => one.rule === rule)?.detail ?? rule;
  return hasRequest(before, after) ? undefined : "the user's latest request is missing";
}

function countByRule(found: readonly Violation[]): ReadonlyMap<Violation["rule"], number> {
  const counts = new Map<Violation["rule"], number>();
  for (const { rule } of found) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return counts;
}

function hasRequest(before: readonly Message[], after: readonly Message[]): boolean {
  const index = latestRequest(before);
  const request = index === undefined ? undefined : before[index];
  if (request === undefined) return true;
  const latest = latestRequest(after);
  const kept = latest === undefined ? undefined : after[latest];
  if (kept === undefined) return false;
  const [wanted, found] = [stripSummary(request.content), stripSummary(kept.content)];
  return textOf(found) === textOf(wanted) && imagesOf(found).length === imagesOf(wanted).length;
}
