/** The user's own list of sites that are not visited. */
export interface SiteRule {
  readonly pattern: string;
  /** Where the rule was written: `config`, or a file. */
  readonly source: string;
}

export interface SiteBlock {
  readonly host: string;
  readonly rule: string;
  readonly source: string;
  readonly message: string;
}

/** `x.com` means itself and everything below it; `*.x.com` only what is below; `*` every site. */
export function blockedSite(host: string, rules: readonly SiteRule[]): SiteBlock | undefined {
  const wanted = host.toLowerCase().replace(/\.$/, "");
  const found = rules.find((rule) => matches(wanted, normalRule(rule.pattern)));
  if (found === undefined) return undefined;
  const rule = normalRule(found.pattern);
  return {
    host: wanted,
    rule,
    source: found.source,
    message: `${wanted} is on the list of blocked sites (${rule}, ${found.source})`,
  };
}

function matches(host: string, rule: string): boolean {
  if (rule === "") return false;
  if (rule === "*") return true;
  if (rule.startsWith("*.")) return host.endsWith(rule.slice(1));
  return host === rule || host.endsWith(`.${rule}`);
}

function normalRule(pattern: string): string {
  return pattern
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/[/?#].*$/, "")
    .replace(/:\d+$/, "")
    .replace(/^www\./, "")
    .replace(/\.$/, "");
}

/** Rules of a list file: one per line, `#` starts a comment, hosts-file lines are understood. */
export function readSiteList(text: string, source: string): readonly SiteRule[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*$/, "").trim())
    .map((line) => line.replace(/^(?:0\.0\.0\.0|127\.0\.0\.1)\s+/, ""))
    .filter((line) => line !== "" && !/\s/.test(line))
    .map((pattern) => ({ pattern, source }));
}
