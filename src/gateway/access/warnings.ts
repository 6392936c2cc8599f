import type { Config } from "#config";
import type { Platform } from "../platform/platform.ts";
import { accessOf, authenticated, hasAllowlist } from "./authorize.ts";
import type { Pairing } from "./pairing.ts";

/** What the owner should know about who may use Hermes, before it is served. */
export async function accessWarnings(
  config: Config,
  platforms: readonly Platform[],
  pairing: Pick<Pairing, "paired">,
): Promise<readonly string[]> {
  const isOpen = config.gateway.allow_all_users;
  const pointless = platforms.filter(({ id }) => isOpen && hasAllowlist(config, id)).map(({ label }) => label);
  const unlisted = platforms
    .filter(({ id }) => !authenticated.has(id))
    .filter(({ id }) => !isOpen && !accessOf(config, id).allow_all_users && !hasAllowlist(config, id));
  const lists: Platform[] = [];
  for (const platform of unlisted) if ((await pairing.paired(platform.id)).length === 0) lists.push(platform);
  return [
    ...(pointless.length > 0
      ? [`gateway.allow_all_users lets everybody in; the lists of ${pointless.join(", ")} keep nobody out.`]
      : []),
    ...lists.map(
      ({ id, label, envPrefix }) =>
        `${label}: nobody is listed in ${envPrefix}_ALLOWED_USERS. Strangers get a code; let them in with: hermes pairing approve ${id} <code>`,
    ),
  ];
}
