import type { GuardCategory, Severity } from "./finding.ts";

/** One pattern over a logical line of text. Patterns must run in linear time: no nested repetition. */
export interface GuardRule {
  readonly id: string;
  readonly category: GuardCategory;
  readonly severity: Exclude<Severity, "notice">;
  readonly pattern: RegExp;
  readonly says: string;
  /** A line the pattern must find; every one is tested. */
  readonly example: string;
}

export function rulesOf(category: GuardCategory, rules: readonly Omit<GuardRule, "category">[]): readonly GuardRule[] {
  return rules.map((rule) => ({ ...rule, category }));
}
