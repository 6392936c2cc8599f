import type { Attachment, InboundMessage } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { type ChatPolicies, isLetThrough } from "../support/policy.ts";

export interface WecomRules {
  readonly account: string;
  readonly policies: ChatPolicies;
  readonly channelPrompts: Readonly<Record<string, string>>;
}

/** A message to the bot; undefined when it is not meant for us. */
export function readCallback(
  body: Fields,
  { account, policies, channelPrompts }: WecomRules,
): InboundMessage | undefined {
  const [id, userId] = [textAt(body, "msgid"), textAt(fieldsAt(body, "from"), "userid")];
  if (id === "" || userId === "") return undefined;
  const isGroup = textAt(body, "chattype") === "group";
  const chatId = isGroup ? textAt(body, "chatid") : userId;
  const chatType = isGroup ? "group" : "dm";
  if (chatId === "" || !isLetThrough({ chatType, chatId, userId }, policies)) return undefined;
  const { words, attachments } = contentOf(body);
  const text = (isGroup ? words.replace(/^\s*@\S+\s*/u, "") : words).trim();
  if (text === "" && attachments.length === 0) return undefined;
  const quoted = contentOf(fieldsAt(body, "quote")).words;
  return {
    source: { platform: "wecom", account, chatId, chatType, userId },
    text: quoted === "" ? text : `${quoted.replaceAll(/^/gmu, "> ")}\n\n${text}`,
    messageId: id,
    dedupKey: `wecom:${account}:${id}`,
    atMs: Number(body["create_time"]) * 1000 || 0,
    attachments,
    channelPrompt: channelPrompts[chatId],
  };
}

function contentOf(body: Fields): { readonly words: string; readonly attachments: readonly Attachment[] } {
  const type = textAt(body, "msgtype");
  const content = fieldsAt(body, type);
  switch (type) {
    case "text":
    case "voice":
      // A voice comes as the words that WeCom heard.
      return { words: textAt(content, "content"), attachments: [] };
    case "image":
    case "video":
      return { words: "", attachments: [fileOf(type, content)] };
    case "file":
      return { words: "", attachments: [fileOf("document", content)] };
    case "appmsg":
      return { words: textAt(content, "title"), attachments: [] };
    case "mixed": {
      const items = listAt(content, "msg_item").map(contentOf);
      return {
        words: items.flatMap(({ words }) => words || []).join("\n"),
        attachments: items.flatMap(({ attachments }) => attachments),
      };
    }
    default:
      return { words: "", attachments: [] };
  }
}

function fileOf(kind: Attachment["kind"], content: Fields): Attachment {
  return {
    kind,
    ref: { url: textAt(content, "url"), key: textAt(content, "aeskey") },
    name: textAt(content, "filename") || textAt(content, "name") || undefined,
  };
}
