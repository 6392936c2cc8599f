import type { Attachment, InboundMessage } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";

export interface DingtalkRules {
  readonly account: string;
  readonly requireMention: boolean;
  readonly mentionPatterns: readonly RegExp[];
  readonly freeChats: ReadonlySet<string>;
  readonly channelPrompts: Readonly<Record<string, string>>;
}

/** What the robot was told; undefined when it is not meant for us. */
export function readCallback(data: Fields, rules: DingtalkRules): InboundMessage | undefined {
  const [id, sender, conversation] = [textAt(data, "msgId"), textAt(data, "senderId"), textAt(data, "conversationId")];
  if (id === "" || sender === "" || conversation === "" || sender === textAt(data, "chatbotUserId")) return undefined;
  const isGroup = textAt(data, "conversationType") === "2";
  const staff = textAt(data, "senderStaffId");
  const { words, attachments } = contentOf(data);
  const isAddressed = data["isInAtList"] === true || rules.mentionPatterns.some((pattern) => pattern.test(words));
  if (isGroup && rules.requireMention && !isAddressed && !rules.freeChats.has(conversation)) return undefined;
  if (words === "" && attachments.length === 0) return undefined;
  return {
    source: {
      platform: "dingtalk",
      account: rules.account,
      // A person is reached by the id of the directory, a group by its conversation.
      chatId: isGroup ? conversation : staff || sender,
      chatIdAlt: isGroup ? undefined : conversation,
      chatType: isGroup ? "group" : "dm",
      chatName: textAt(data, "conversationTitle") || undefined,
      userId: sender,
      userIdAlt: staff || undefined,
      userName: textAt(data, "senderNick") || undefined,
      guildId: textAt(data, "senderCorpId") || undefined,
    },
    text: words,
    messageId: id,
    dedupKey: `dingtalk:${rules.account}:${id}`,
    atMs: Number(data["createAt"]) || 0,
    attachments,
    channelPrompt: rules.channelPrompts[conversation],
  };
}

function contentOf(data: Fields): { readonly words: string; readonly attachments: readonly Attachment[] } {
  const content = fieldsAt(data, "content");
  const code = textAt(content, "downloadCode");
  const file = (kind: Attachment["kind"]): readonly Attachment[] =>
    code === "" ? [] : [{ kind, ref: { code }, name: textAt(content, "fileName") || undefined }];
  switch (textAt(data, "msgtype")) {
    case "richText":
      return richText(listAt(content, "richText"));
    case "picture":
      return { words: "", attachments: file("image") };
    case "video":
      return { words: "", attachments: file("video") };
    case "file":
      return { words: "", attachments: file("document") };
    case "audio": {
      // DingTalk has heard a voice message already.
      const words = textAt(content, "recognition").trim();
      return { words, attachments: words === "" ? file("voice") : [] };
    }
    default:
      return { words: textAt(fieldsAt(data, "text"), "content").trim(), attachments: [] };
  }
}

function richText(runs: readonly Fields[]): ReturnType<typeof contentOf> {
  const words = runs.map((run) => textAt(run, "text")).join("");
  const pictures = runs.filter((run) => textAt(run, "type") === "picture");
  return {
    words: words.trim(),
    attachments: pictures.map((run) => ({ kind: "image", ref: { code: textAt(run, "downloadCode") } })),
  };
}
