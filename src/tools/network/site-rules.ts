import { readFileSync, statSync } from "node:fs";
import type { Config } from "#config";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import { readSiteList, type SiteRule } from "./sites.ts";
import { systemResolve, type UrlRules } from "./urls.ts";

const keptMs = 30_000;
const maxListBytes = 16 * 1024 * 1024;

export interface SiteRulesDeps {
  /** Domains that a rule of `permissions.deny` names. */
  readonly denied: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** A path of the settings as an absolute one. */
  absolute(file: string): string;
}

/** Which addresses tools may visit. The lists of sites are read anew every half minute. */
export function urlRules(security: Config["security"], deps: SiteRulesDeps): UrlRules {
  const list = security.website_blocklist;
  let kept: { readonly sites: readonly SiteRule[]; readonly atMs: number } | undefined;
  return {
    allowPrivate: security.allow_private_urls,
    get sites() {
      const denied = deps.denied.map((pattern) => ({ pattern, source: "permissions.deny" }));
      if (!list.enabled) return denied;
      if (kept === undefined || deps.clock.now() - kept.atMs >= keptMs)
        kept = { sites: readSites(list, deps), atMs: deps.clock.now() };
      return [...denied, ...kept.sites];
    },
    resolve: systemResolve,
  };
}

function readSites(list: Config["security"]["website_blocklist"], deps: SiteRulesDeps): readonly SiteRule[] {
  const own = list.domains.map((pattern) => ({ pattern, source: "config" }));
  const shared = list.shared_files.flatMap((written): readonly SiteRule[] => {
    const file = deps.absolute(written);
    try {
      if (statSync(file).size > maxListBytes) throw new Error(`it has more than ${maxListBytes} bytes`);
      return readSiteList(readFileSync(file, "utf8"), file);
    } catch (error) {
      deps.logger.warn("a list of blocked sites cannot be read", {
        file,
        error: describe(error),
        block: list.fail_closed,
      });
      return list.fail_closed ? [{ pattern: "*", source: `${file}, which cannot be read` }] : [];
    }
  });
  return [...own, ...shared];
}
