import type { Attachment, InboundMessage } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { type ChatPolicies, isLetThrough } from "../support/policy.ts";

export interface WeixinRules {
  readonly account: string;
  readonly policies: ChatPolicies;
  readonly channelPrompts: Readonly<Record<string, string>>;
}

const userMessage = "1";

/** A message of a person; undefined when it is not meant for us. */
export function readMessage(
  data: Fields,
  { account, policies, channelPrompts }: WeixinRules,
): InboundMessage | undefined {
  const [id, userId, group] = [textAt(data, "message_id"), textAt(data, "from_user_id"), textAt(data, "group_id")];
  if (id === "" || userId === "" || userId === account || (textAt(data, "message_type") || userMessage) !== userMessage)
    return undefined;
  const chatType = group === "" ? "dm" : "group";
  const chatId = group || userId;
  if (!isLetThrough({ chatType, chatId, userId }, policies)) return undefined;
  const items = listAt(data, "item_list");
  const text = items.flatMap(wordsOf).join("\n").trim();
  const attachments = items.flatMap(filesOf);
  if (text === "" && attachments.length === 0) return undefined;
  const atMs = Number(data["create_time_ms"]) || 0;
  return {
    source: { platform: "weixin", account, chatId, chatType, userId },
    text,
    messageId: id,
    // Numbers of this length lose their last digits in JSON; with the time they are themselves again.
    dedupKey: `weixin:${account}:${id}:${atMs}`,
    atMs,
    attachments,
    channelPrompt: channelPrompts[chatId],
  };
}

function wordsOf(item: Fields): readonly string[] {
  const quoted = textAt(fieldsAt(item, "ref_msg"), "title");
  // Weixin has heard a voice message already.
  const words = textAt(fieldsAt(item, "text_item"), "text") || textAt(fieldsAt(item, "voice_item"), "text");
  return [...(quoted === "" ? [] : [`> ${quoted}`]), ...(words === "" ? [] : [words])];
}

const kinds: readonly (readonly [field: string, kind: Attachment["kind"]])[] = [
  ["image_item", "image"],
  ["voice_item", "voice"],
  ["file_item", "document"],
  ["video_item", "video"],
];

function filesOf(item: Fields): readonly Attachment[] {
  return kinds.flatMap(([field, kind]) => {
    const content = fieldsAt(item, field);
    const media = fieldsAt(content, "media");
    const param = textAt(media, "encrypt_query_param");
    if (param === "" || textAt(content, "text") !== "") return [];
    const digits = textAt(content, "aeskey");
    const key = digits === "" ? textAt(media, "aes_key") : Buffer.from(digits).toString("base64");
    return [{ kind, ref: { param, key }, name: textAt(content, "file_name") || undefined }];
  });
}
