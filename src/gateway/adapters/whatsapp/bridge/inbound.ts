import type { Attachment, InboundMessage, MediaKind } from "../../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../../support/fields.ts";
import { type ChatPolicies, isLetThrough } from "../../support/policy.ts";
import { type BridgeAccount, userOf, withoutDevice } from "./api.ts";

export interface BridgeRules {
  readonly account: BridgeAccount;
  readonly mode: "self-chat" | "bot";
  /** Stands before all we write. */
  readonly prefix: string;
  readonly policies: ChatPolicies;
  readonly requireMention: boolean;
  readonly mentionPatterns: readonly RegExp[];
  readonly freeChats: ReadonlySet<string>;
  readonly channelPrompts: Readonly<Record<string, string>>;
  /** We sent the message with this id. */
  isOurs(messageId: string): boolean;
}

const kinds: ReadonlySet<string> = new Set<MediaKind>(["image", "video", "audio", "voice", "document", "sticker"]);

/** What a person wrote, or in a few words why it is not for us. */
export function readMessage(data: Fields, rules: BridgeRules): InboundMessage | string {
  const [id, chat, sender] = [textAt(data, "id"), idAt(data, "chatId"), idAt(data, "senderId")];
  if (id === "" || chat === "" || sender === "") return "no ids";
  if (/@(?:broadcast|newsletter)$/u.test(chat)) return "a status or a newsletter";
  const isGroup = chat.endsWith("@g.us");
  const text = textAt(data, "text").trim();
  const misplaced = reasonByMode(data, { chat, text }, rules);
  if (misplaced !== undefined) return misplaced;
  // Behind a hidden id the bridge names the number, so that both are one person and one chat.
  const number = textAt(data, "senderPhone").replaceAll(/\D/gu, "") || userOf(sender);
  const userId = data["fromMe"] === true ? userOf(rules.account.id) : number;
  const chatId = chatOf(chat, { isGroup, number, rules });
  const isLet = isLetThrough({ chatType: isGroup ? "group" : "dm", chatId, userId }, rules.policies);
  if (!isLet) return "not let through by the policies";
  if (isGroup && rules.requireMention && !rules.freeChats.has(chatId) && !isAddressed(data, text, rules))
    return "not addressed";
  const words = isGroup ? withoutMention(text, rules) : text;
  const attachments = filesOf(data);
  if (words === "" && attachments.length === 0) return "empty";
  const quoted = fieldsAt(data, "quoted");
  return {
    source: {
      platform: "whatsapp",
      account: rules.account.id,
      chatId,
      chatIdAlt: chat === chatId ? undefined : chat,
      chatType: isGroup ? "group" : "dm",
      chatName: textAt(data, "chatName") || undefined,
      userId,
      // The same under either name: it tells conversations of a group apart.
      userIdAlt: sender.endsWith("@lid") && number !== userOf(sender) ? `${number}@s.whatsapp.net` : sender,
      userName: textAt(data, "senderName") || undefined,
    },
    text: words,
    messageId: id,
    dedupKey: `whatsapp:${rules.account.id}:${chat}:${id}`,
    atMs: Number(textAt(data, "timestamp")) * 1000 || 0,
    attachments,
    replyTo: quoted["id"] === undefined ? undefined : { messageId: textAt(quoted, "id"), text: textAt(quoted, "text") },
    channelPrompt: rules.channelPrompts[chatId],
  };
}

function idAt(data: Fields, name: string): string {
  return withoutDevice(textAt(data, name));
}

/** In self-chat only the owner speaks, in the chat with themselves; a bot hears everybody else. */
function reasonByMode(
  data: Fields,
  { chat, text }: { readonly chat: string; readonly text: string },
  { account, mode, prefix, isOurs }: BridgeRules,
): string | undefined {
  const isFromMe = data["fromMe"] === true;
  if (mode === "bot") return isFromMe ? "our own" : undefined;
  if (!isFromMe || (chat !== account.id && chat !== account.lid)) return "not in the chat with oneself";
  const isEcho = textAt(data, "key") !== "" || isOurs(textAt(data, "id"));
  return isEcho || (prefix.trim() !== "" && text.startsWith(prefix.trim())) ? "our own" : undefined;
}

function chatOf(
  chat: string,
  { isGroup, number, rules }: { readonly isGroup: boolean; readonly number: string; readonly rules: BridgeRules },
): string {
  if (chat === rules.account.lid) return rules.account.id;
  return isGroup || !chat.endsWith("@lid") || number === userOf(chat) ? chat : `${number}@s.whatsapp.net`;
}

function isAddressed(data: Fields, text: string, { account, mentionPatterns }: BridgeRules): boolean {
  const named = Array.isArray(data["mentions"]) ? data["mentions"].map((one) => withoutDevice(String(one))) : [];
  const spokenTo = [...named, idAt(fieldsAt(data, "quoted"), "senderId")];
  const isNamed = spokenTo.some((id) => id !== "" && (id === account.id || id === account.lid));
  return isNamed || mentionPatterns.some((pattern) => pattern.test(text));
}

function withoutMention(text: string, { account }: BridgeRules): string {
  const names = [userOf(account.id), userOf(account.lid)].filter(Boolean);
  return names.reduce((words, name) => words.replaceAll(`@${name}`, ""), text).trim();
}

function filesOf(data: Fields): readonly Attachment[] {
  return listAt(data, "media").flatMap((file) => {
    const type = textAt(file, "type");
    if (textAt(file, "id") === "") return [];
    return [
      {
        kind: kinds.has(type) ? (type as MediaKind) : "document",
        ref: { mediaId: textAt(file, "id") },
        name: textAt(file, "name") || undefined,
        mimeType: textAt(file, "mime") || undefined,
        bytes: typeof file["size"] === "number" ? file["size"] : undefined,
      },
    ];
  });
}
