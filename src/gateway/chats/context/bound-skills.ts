import { type Config, isPlatformId } from "#config";
import { isRecord } from "#foundation/text/json";
import type { MessageSource } from "../../platform/inbound.ts";

/** The skills that a chat's sessions begin with: those bound to its channel, or to the one its thread is in, and its topic's. */
export function boundSkills({ platform, chatId, parentChatId, chatType, threadId }: MessageSource, config: Config) {
  if (!isPlatformId(platform)) return [];
  const bindings = config[platform].channel_skill_bindings;
  const bound = bindings[chatId] ?? (parentChatId === undefined ? undefined : bindings[parentChatId]);
  const names = [
    bound,
    platform === "telegram" && threadId !== undefined ? topicSkill(threadId, chatType, config) : [],
  ];
  return [...new Set(names.flat())].filter((name): name is string => typeof name === "string" && name !== "");
}

function topicSkill(threadId: string, chatType: MessageSource["chatType"], { telegram }: Config): unknown {
  const topic = (chatType === "dm" ? telegram.dm_topics : telegram.group_topics)[threadId];
  return isRecord(topic) ? topic["skill"] : topic;
}
