import type { Config } from "#config";
import type { ResetPolicy } from "#session";
import type { MessageSource } from "../platform/inbound.ts";

/** When a conversation from this source starts over: what is said for the platform counts, then for the kind of chat. */
export function resetPolicyOf(
  config: Config,
  { platform, chatType }: Pick<MessageSource, "platform" | "chatType">,
): ResetPolicy & { readonly tells: boolean } {
  const { session_reset: usual, reset_by_platform: byPlatform, reset_by_type: byType } = config;
  const own = byPlatform[platform] ?? byType[chatType];
  return {
    mode: own?.mode ?? usual.mode,
    idleMinutes: own?.idle_minutes ?? usual.idle_minutes,
    atHour: own?.at_hour ?? usual.at_hour,
    timeZone: config.timezone,
    tells: usual.notify && !usual.notify_exclude_platforms.includes(platform),
  };
}
