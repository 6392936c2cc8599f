export const guardCategories = [
  "exfiltration",
  "injection",
  "destructive",
  "persistence",
  "network",
  "obfuscation",
  "execution",
  "traversal",
  "mining",
  "supply_chain",
  "privilege_escalation",
  "credential_exposure",
] as const;

export type GuardCategory = (typeof guardCategories)[number];

/** `notice` is worth showing and never changes the verdict. */
export type Severity = "critical" | "high" | "medium" | "low" | "notice";

/** One thing the guard saw. */
export interface GuardFinding {
  readonly id: string;
  readonly category: GuardCategory | "structure" | "invisible" | "capability";
  readonly severity: Severity;
  /** What it is, in words for the person who decides. */
  readonly says: string;
  readonly file: string;
  readonly line?: number;
  /** The place itself, shortened and on one line. */
  readonly excerpt?: string;
}

export type Verdict = "safe" | "caution" | "dangerous";

/** One critical finding makes a skill dangerous, any other one questionable; notices do not count. */
export function verdictOf(findings: readonly GuardFinding[]): Verdict {
  if (findings.some((one) => one.severity === "critical")) return "dangerous";
  return findings.some((one) => one.severity !== "notice") ? "caution" : "safe";
}
