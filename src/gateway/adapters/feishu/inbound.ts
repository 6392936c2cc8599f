import type { Config } from "#config";
import type { InboundMessage, MessageSource } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { readContent, withNames } from "./content.ts";
import { idsOf, isGroupOpen, type PersonIds } from "./rules.ts";

export interface FeishuRules {
  readonly settings: Config["feishu"];
  readonly appId: string;
  /** All ids of the bot itself. */
  readonly own: PersonIds;
  readonly mentionPatterns: readonly RegExp[];
}

/** What somebody wrote; undefined when it is not meant for us. */
export function readMessage(event: Fields, rules: FeishuRules): InboundMessage | undefined {
  const { settings } = rules;
  const [sender, message] = [fieldsAt(event, "sender"), fieldsAt(event, "message")];
  const person = fieldsAt(sender, "sender_id");
  const [id, chatId] = [textAt(message, "message_id"), textAt(message, "chat_id")];
  const ids = idsOf(person);
  if (id === "" || chatId === "" || ids.length === 0 || textAt(sender, "sender_type") === "app") return undefined;
  const mentions = listAt(message, "mentions");
  const isSelf = (one: Fields): boolean => idsOf(one).some((own) => rules.own.includes(own));
  const type = textAt(message, "message_type");
  const { words, attachments } = readContent({ messageId: id, type, content: textAt(message, "content") });
  const text = withNames(words, mentions, isSelf);
  const isGroup = textAt(message, "chat_type") !== "p2p";
  if (isGroup) {
    const isAddressed =
      mentions.some((one) => isSelf(fieldsAt(one, "id")) || hasOwnName(one, rules)) ||
      /@_all\b/u.test(words) ||
      rules.mentionPatterns.some((pattern) => pattern.test(text));
    const isHeard =
      isAddressed || settings.require_mention === false || settings.free_response_channels.includes(chatId);
    if (!isHeard || !isGroupOpen(chatId, ids, settings)) return undefined;
  }
  if (text === "" && attachments.length === 0) return undefined;
  const root = textAt(message, "root_id");
  return {
    source: {
      ...sourceOf(person, rules),
      chatId,
      chatType: isGroup ? "group" : "dm",
      // A thread goes by its first message: that is what answers are sent to.
      threadId: textAt(message, "thread_id") === "" ? undefined : root || id,
      guildId: textAt(sender, "tenant_key") || undefined,
    },
    text,
    messageId: id,
    dedupKey: `feishu:${rules.appId}:${id}`,
    atMs: Number(textAt(message, "create_time")) || 0,
    attachments,
    replyTo: textAt(message, "parent_id") === "" ? undefined : { messageId: textAt(message, "parent_id") },
    channelPrompt: settings.channel_prompts[chatId],
  };
}

/** Without rights to the directory a mention may name the bot by its name only. */
function hasOwnName(mention: Fields, { settings: { bot_name: name } }: FeishuRules): boolean {
  return name !== "" && textAt(mention, "name") === name && idsOf(fieldsAt(mention, "id")).length === 0;
}

export function sourceOf(
  person: Fields,
  { appId, settings }: FeishuRules,
): Pick<MessageSource, "platform" | "account" | "userId" | "userIdAlt"> {
  const [open, union, user] = ["open_id", "union_id", "user_id"].map((name) => textAt(person, name));
  // Lists may hold any of the three ids; the one that is listed is the one that is told.
  const isByUserId = user !== undefined && user !== "" && settings.allowed_users.includes(user);
  return {
    platform: "feishu",
    account: appId,
    userId: open || user || union,
    userIdAlt: (isByUserId ? user : union) || undefined,
  };
}
