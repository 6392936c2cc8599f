import { readCommandLine } from "./structure/read-line.ts";

/** A rule of the user's about commands; the first that matches decides. */
export interface PolicyRule {
  readonly effect: "allow" | "ask" | "deny";
  /** Tool it is about; any when absent. */
  readonly tool?: string;
  /** Glob over the whole command or summary; any when absent. */
  readonly pattern?: string;
  /** Surfaces it holds on; all when absent. */
  readonly surfaces?: readonly string[];
  readonly reason?: string;
}

export type PolicyVerdict = { readonly effect: PolicyRule["effect"]; readonly reason: string } | undefined;

export function applyPolicy(
  rules: readonly PolicyRule[],
  subject: { readonly tool: string; readonly summary: string; readonly surface: string },
): PolicyVerdict {
  const found = rules.find((rule) => {
    if (rule.tool !== undefined && rule.tool !== subject.tool) return false;
    if (rule.surfaces !== undefined && !rule.surfaces.includes(subject.surface)) return false;
    if (rule.pattern === undefined) return true;
    if (!matches(rule.pattern, subject.summary)) return false;
    // A star would also cover a second command behind the one that was meant.
    return rule.effect !== "allow" || !/[*?]/.test(rule.pattern) || isOneCommand(subject.summary);
  });
  return found === undefined
    ? undefined
    : { effect: found.effect, reason: found.reason ?? "a rule of the user's policy" };
}

/** One plain command: nothing chained, piped, substituted or redirected into a file. */
function isOneCommand(summary: string): boolean {
  const { commands, problems } = readCommandLine(summary, { cwd: undefined, home: "~" });
  const [only] = commands;
  return problems.length === 0 && commands.length === 1 && only?.writes.length === 0;
}

/** `*` is any text and `?` one character; the pattern must cover the whole command. */
function matches(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[\\s\\S]*")
    .replaceAll("?", "[\\s\\S]");
  return new RegExp(`^${source}$`).test(text);
}
