import type { FailureKind } from "./failure.ts";
import type { OpenedBody } from "./unwrap.ts";

/** One way to recognise a failure. All conditions that are present must hold; a rule without any would match everything. */
export interface Rule {
  readonly kind: FailureKind;
  /** Statuses this rule is for; `0` stands for "no status", undefined for any. */
  readonly statuses?: readonly number[];
  /** One of these stands in a code, type, status or reason field, at any level, lower case. */
  readonly codes?: readonly string[];
  readonly all?: readonly RegExp[];
  readonly any?: readonly RegExp[];
  readonly none?: readonly RegExp[];
}

export function ruleMatches(rule: Rule, status: number, opened: OpenedBody): boolean {
  if (rule.statuses !== undefined && !rule.statuses.includes(status)) return false;
  if (rule.codes !== undefined && !rule.codes.some((code) => opened.codes.includes(code))) return false;
  if (rule.all !== undefined && !rule.all.every((pattern) => pattern.test(opened.text))) return false;
  if (rule.any !== undefined && !rule.any.some((pattern) => pattern.test(opened.text))) return false;
  return rule.none === undefined || !rule.none.some((pattern) => pattern.test(opened.text));
}
