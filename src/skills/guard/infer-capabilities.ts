import { type SkillCapability, skillCapabilities } from "../library/capability.ts";
import type { GuardFinding } from "./finding.ts";
import type { LogicalLine } from "./text-lines.ts";

/** What in a text shows that a capability is used. Rough on purpose: it compares with a declaration, it does not judge. */
const signs: Readonly<Record<SkillCapability, readonly RegExp[]>> = {
  shell: [
    /^\s*(?:\$\s+)?(?:git|npm|npx|python3?|node|bash|sh|curl|wget|sqlite3|docker|make|tar|rsync|sed|awk|grep|rg|find|du|df|ls|ps|ping|ssh|brew|apt|pip3?|jq|cp|mv|rm|mkdir|cat|sort|hermes|psql|dig|nc|traceroute|perf|hyperfine)\s+\S/,
    /```(?:bash|sh|shell|zsh|console)\b/,
    /\bsubprocess\.|\bchild_process\b|\bos\.system\b/,
  ],
  network: [
    /\b(?:curl|wget|ssh|scp|rsync|ping|traceroute|dig|nslookup|nc)\s+\S/,
    /\b(?:requests|httpx|urllib|axios)\.|\bfetch\s*\(|\bgit\s+(?:push|pull|fetch|clone)\b|\bweb_(?:search|extract)\b/,
  ],
  secrets: [
    /\$\{?\w*(?:API_KEY|TOKEN|SECRET|PASSWORD)\b/,
    /(?:os\.environ|os\.getenv|process\.env).{0,40}(?:KEY|TOKEN|SECRET|PASSWORD)/,
  ],
  "files-outside-workspace": [
    /(?:^|[\s"'=(])(?:~|\$HOME|\$\{HOME\})\/\S/,
    /(?:^|[\s"'=(])\/(?:(?:etc|opt|Library|mnt|srv)\/|usr\/(?!bin\/))\S/,
  ],
  install: [
    /\b(?:apt(?:-get)?|dnf|yum|brew|pacman|apk)\s+(?:install|add|-S)\b/,
    /\b(?:pip3?|uv pip|npm|pnpm|yarn|cargo|gem|go)\s+(?:install|add|i)\s+\S/,
    /\bnpx\s+\S/,
  ],
  system: [/\b(?:systemctl|launchctl|crontab|sysctl|iptables|ufw|useradd|usermod)\s+\S/, /\bsudo\s+\S/],
  delete: [
    /\brm\s+(?:-\S+\s+)?\S/,
    /\b(?:shutil\.rmtree|fs\.rm(?:Sync)?|os\.remove)\s*\(/,
    /\bDELETE\s+FROM\b|\bDROP\s+TABLE\b/i,
  ],
};

export interface InferredCapability {
  readonly capability: SkillCapability;
  readonly file: string;
  readonly line: number;
}

/** The first place in each skill where each capability shows. */
export function inferCapabilities(
  texts: readonly { readonly path: string; readonly lines: readonly LogicalLine[] }[],
): readonly InferredCapability[] {
  const found: InferredCapability[] = [];
  for (const capability of Object.keys(signs) as SkillCapability[]) {
    const location = firstLocation(signs[capability], texts);
    if (location !== undefined) found.push({ capability, ...location });
  }
  return found;
}

function firstLocation(
  patterns: readonly RegExp[],
  texts: readonly { readonly path: string; readonly lines: readonly LogicalLine[] }[],
): { readonly file: string; readonly line: number } | undefined {
  for (const { path, lines } of texts) {
    const hit = lines.find(({ text }) => patterns.some((pattern) => pattern.test(text)));
    if (hit !== undefined) return { file: path, line: hit.line };
  }
  return undefined;
}

/**
 * Capabilities that are used and not declared. A skill that declares some and uses others is not
 * honest: that counts. One that declares nothing, as most in the world do, gets a notice.
 */
export function undeclaredFindings(
  inferred: readonly InferredCapability[],
  declared: readonly SkillCapability[] | undefined,
): readonly GuardFinding[] {
  return inferred
    .filter(({ capability }) => declared === undefined || !declared.includes(capability))
    .map(({ capability, file, line }) => ({
      id: `undeclared-${capability}`,
      category: "capability" as const,
      severity: declared === undefined ? ("notice" as const) : ("medium" as const),
      says: `${skillCapabilities[capability]}, which it does not declare`,
      file,
      line,
    }));
}
