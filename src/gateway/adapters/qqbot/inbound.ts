import type { Attachment, ChatType, InboundMessage } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { kindOfMime } from "../support/media.ts";

/** Where each kind of event comes from: its chat, and whose field names it. */
const kinds: Readonly<Record<string, { readonly prefix: string; readonly chat: string; readonly type: ChatType }>> = {
  C2C_MESSAGE_CREATE: { prefix: "user", chat: "", type: "dm" },
  GROUP_AT_MESSAGE_CREATE: { prefix: "group", chat: "group_openid", type: "group" },
  GUILD_MESSAGE_CREATE: { prefix: "channel", chat: "channel_id", type: "channel" },
  AT_MESSAGE_CREATE: { prefix: "channel", chat: "channel_id", type: "channel" },
  DIRECT_MESSAGE_CREATE: { prefix: "guild", chat: "guild_id", type: "dm" },
};

/** Undefined for events that are no messages of people. */
export function readDispatch(type: string, data: Fields, account: string): InboundMessage | undefined {
  const kind = kinds[type];
  const author = fieldsAt(data, "author");
  const id = textAt(data, "id");
  if (kind === undefined || id === "" || author["bot"] === true) return undefined;
  const userId = textAt(author, "user_openid") || textAt(author, "member_openid") || textAt(author, "id");
  const chat = kind.chat === "" ? userId : textAt(data, kind.chat);
  if (userId === "" || chat === "") return undefined;
  const files = listAt(data, "attachments");
  // QQ has heard a voice message already.
  const heard = files.flatMap((file) => textAt(file, "asr_refer_text") || []);
  const words = textAt(data, "content").replaceAll(/<@!?\w+>/gu, "");
  return {
    source: {
      platform: "qqbot",
      account,
      chatId: `${kind.prefix}:${chat}`,
      chatIdAlt: chat,
      chatType: kind.type,
      userId,
      userIdAlt: textAt(author, "union_openid") || undefined,
      userName: textAt(author, "username") || undefined,
      guildId: textAt(data, "guild_id") || undefined,
    },
    text: [words.trim(), ...heard].filter((one) => one !== "").join("\n"),
    messageId: id,
    dedupKey: `qqbot:${account}:${id}`,
    atMs: Date.parse(textAt(data, "timestamp")) || 0,
    attachments: files.filter((file) => textAt(file, "asr_refer_text") === "").map(attachmentOf),
  };
}

function attachmentOf(file: Fields): Attachment {
  const mimeType = textAt(file, "content_type");
  const url = textAt(file, "voice_wav_url") || textAt(file, "url");
  return {
    kind: mimeType === "voice" ? "voice" : kindOfMime(mimeType),
    ref: { url: url.startsWith("//") ? `https:${url}` : url },
    name: textAt(file, "filename") || undefined,
    mimeType: mimeType.includes("/") ? mimeType : undefined,
    bytes: typeof file["size"] === "number" ? file["size"] : undefined,
  };
}
