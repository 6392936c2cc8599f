import type { Verdict } from "./finding.ts";

export type TrustLevel = "builtin" | "trusted" | "community" | "agent-created";

export type Decision =
  | { readonly kind: "allow" }
  /** `canForce`: the person may install it all the same. */
  | { readonly kind: "block"; readonly canForce: boolean; readonly reason: string }
  /** Somebody has to decide; where nobody can be asked, this is a refusal. */
  | { readonly kind: "ask"; readonly reason: string };

const trustedRepositories: ReadonlySet<string> = new Set(["openai/skills", "anthropics/skills"]);

/** Trust of what comes from a GitHub repository. Owner and name must match exactly; a similar name is a stranger. */
export function trustOfRepository(owner: string, repository: string): TrustLevel {
  return trustedRepositories.has(`${owner}/${repository}`.toLowerCase()) ? "trusted" : "community";
}

/** What becomes of a skill. Force helps against `caution` only, never against `dangerous`. */
export function decide(trust: TrustLevel, verdict: Verdict, options: { readonly isForced: boolean }): Decision {
  if (verdict === "safe" || trust === "builtin") return { kind: "allow" };
  switch (trust) {
    case "trusted":
      return verdict === "caution" ? { kind: "allow" } : blocked(false, "it does dangerous things");
    case "community":
      if (verdict === "dangerous") return blocked(false, "it does dangerous things");
      return options.isForced
        ? { kind: "allow" }
        : blocked(true, "it comes from strangers and does questionable things");
    case "agent-created":
      return verdict === "caution" ? { kind: "allow" } : { kind: "ask", reason: "it does dangerous things" };
    default:
      return trust satisfies never;
  }
}

function blocked(canForce: boolean, reason: string): Decision {
  return { kind: "block", canForce, reason };
}
