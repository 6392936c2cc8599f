import type { Config } from "#config";
import type { Platform } from "../platform/platform.ts";
import { accessOf, authenticated, hasAllowlist } from "./authorize.ts";

/** What the owner should know about who may use Hermes, before it is served. */
export function accessWarnings(config: Config, platforms: readonly Platform[]): readonly string[] {
  const isOpen = config.gateway.allow_all_users;
  const pointless = platforms.filter(({ id }) => isOpen && hasAllowlist(config, id)).map(({ label }) => label);
  const lists = platforms
    .filter(({ id }) => !authenticated.has(id))
    .filter(({ id }) => !isOpen && !accessOf(config, id).allow_all_users && !hasAllowlist(config, id));
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
