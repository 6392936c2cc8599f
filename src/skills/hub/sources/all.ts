import type { HubFetch } from "../hub-fetch.ts";
import type { HubSource } from "../source.ts";
import type { Taps } from "../taps.ts";
import { claudeMarketplaceSource } from "./claude-marketplace.ts";
import { clawhubSource } from "./clawhub.ts";
import { githubSource } from "./github.ts";
import { GitHubClient } from "./github-client.ts";
import { lobehubSource } from "./lobehub.ts";
import { officialSource } from "./official.ts";
import { type OwnAddressOptions, ownAddressSource } from "./own-address.ts";
import { skillsShSource } from "./skills-sh.ts";
import { wellKnownSource } from "./well-known.ts";

/** Where each hub is reached. */
const hubAddresses = {
  github: "https://api.github.com",
  skillsSh: "https://skills.sh",
  clawhub: "https://clawhub.ai",
  lobehub: "https://chat-agents.lobehub.com",
} as const;

export interface SourcesOptions {
  readonly fetch: HubFetch;
  readonly taps: Taps;
  /** Folders of skills that came with the program. */
  readonly shippedFolders: readonly string[];
  /** Where the person is, for folders and archives they name. */
  readonly own: Omit<OwnAddressOptions, "fetch">;
  readonly githubToken: () => string | undefined;
  readonly addresses?: Readonly<Record<keyof typeof hubAddresses, string>>;
}

/** Every source. GitHub comes last: its identifiers have no prefix, so it would take those of the others. */
export function allSources(options: SourcesOptions): readonly HubSource[] {
  const { fetch, taps } = options;
  const addresses = options.addresses ?? hubAddresses;
  const client = new GitHubClient(fetch, { apiUrl: addresses.github, token: options.githubToken });
  return [
    officialSource(options.shippedFolders),
    ownAddressSource({ ...options.own, fetch }),
    skillsShSource(fetch, client, addresses.skillsSh),
    wellKnownSource(fetch),
    clawhubSource(fetch, addresses.clawhub),
    claudeMarketplaceSource(client, ["anthropics/skills"]),
    lobehubSource(fetch, addresses.lobehub),
    githubSource(client, () => taps.list()),
  ];
}
