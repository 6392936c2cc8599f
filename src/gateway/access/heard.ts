import { type Config, isPlatformId } from "#config";
import type { MessageSource } from "../platform/inbound.ts";
import { matches, personIds } from "./authorize.ts";

/**
 * Whether the rules of a platform's own block let a message through. They only narrow: who may use Hermes at all is
 * decided afterwards. `pairing` lets people in, for whoever is unknown gets a code then.
 */
export function isHeard(source: MessageSource, config: Config): boolean {
  if (!isPlatformId(source.platform)) return true;
  const { dm_policy, allow_from, group_policy, group_allow_from } = config[source.platform];
  if (source.chatType === "dm") {
    if (dm_policy === "allowlist") return matches(allow_from, personIds(source));
    return dm_policy !== "disabled";
  }
  if (group_policy === "allowlist")
    return matches(group_allow_from, [source.chatId, source.chatIdAlt, source.parentChatId]);
  return group_policy !== "disabled";
}
