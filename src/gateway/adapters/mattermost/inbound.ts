import { isRecord, parseJson } from "#foundation/text/json";
import type { Attachment, ChatType, InboundMessage } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { kindOfMime } from "../support/media.ts";

export interface MattermostSelf {
  readonly id: string;
  readonly username: string;
}

export interface MattermostRules {
  readonly requireMention: boolean;
  readonly mentionPatterns: readonly RegExp[];
  readonly freeChannels: ReadonlySet<string>;
  /** Answers open a thread. */
  readonly startsThreads: boolean;
  readonly channelPrompts: Readonly<Record<string, string>>;
}

/** A post, and what is known of its channel and its author. */
export interface Posted {
  readonly post: Fields;
  readonly channelType: string;
  readonly channelName?: string | undefined;
  readonly senderName?: string | undefined;
}

/** The post in a `posted` event; it comes as JSON inside JSON. */
export function postedIn(frame: Fields): Posted | undefined {
  if (frame["event"] !== "posted") return undefined;
  const data = fieldsAt(frame, "data");
  const parsed = parseJson(textAt(data, "post"));
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  return {
    post: parsed.value,
    channelType: textAt(data, "channel_type"),
    channelName: textAt(data, "channel_display_name") || undefined,
    senderName: textAt(data, "sender_name").replace(/^@/u, "") || undefined,
  };
}

/** Undefined for what is not meant for us. */
export function readPost(
  { post, channelType, channelName, senderName }: Posted,
  self: MattermostSelf,
  rules: MattermostRules,
): InboundMessage | undefined {
  const [id, channel, userId] = [textAt(post, "id"), textAt(post, "channel_id"), textAt(post, "user_id")];
  // System posts have a type; people's have none.
  if (id === "" || userId === self.id || textAt(post, "type") !== "") return undefined;
  const words = textAt(post, "message");
  const mention = new RegExp(`(?<![\\w.-])@${self.username.replaceAll(/[.-]/gu, "\\$&")}(?![\\w-])`, "giu");
  const isDirect = channelType === "D";
  const isMentioned = mention.test(words) || rules.mentionPatterns.some((pattern) => pattern.test(words));
  if (!isDirect && rules.requireMention && !isMentioned && !rules.freeChannels.has(channel)) return undefined;
  const rootId = textAt(post, "root_id");
  const opened = rules.startsThreads && !isDirect ? id : undefined;
  return {
    source: {
      platform: "mattermost",
      account: self.id,
      chatId: channel,
      chatType: chatTypeOf(channelType),
      chatName: channelName,
      threadId: rootId === "" ? opened : rootId,
      userId,
      userName: senderName,
      isBot: fieldsAt(post, "props")["from_bot"] === "true",
    },
    text: words.replaceAll(mention, "").trim(),
    messageId: id,
    dedupKey: `mattermost:${self.id}:${id}`,
    atMs: Number(post["create_at"]) || 0,
    attachments: filesOf(post),
    channelPrompt: rules.channelPrompts[channel],
  };
}

function chatTypeOf(type: string): ChatType {
  if (type === "D") return "dm";
  return type === "G" ? "group" : "channel";
}

/** The post names its files; what they are stands in its metadata, where the server sends that. */
function filesOf(post: Fields): readonly Attachment[] {
  const described = listAt(fieldsAt(post, "metadata"), "files");
  const ids = Array.isArray(post["file_ids"]) ? post["file_ids"].map(String) : [];
  return ids.map((id) => {
    const file = described.find((one) => one["id"] === id) ?? {};
    const mimeType = textAt(file, "mime_type");
    return {
      kind: kindOfMime(mimeType),
      ref: { fileId: id },
      name: textAt(file, "name") || undefined,
      mimeType: mimeType || undefined,
      bytes: typeof file["size"] === "number" ? file["size"] : undefined,
    };
  });
}
