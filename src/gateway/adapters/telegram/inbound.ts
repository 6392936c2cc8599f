import type { Chat, Message, MessageEntity, Update, User } from "@grammyjs/types";
import type { Attachment, ButtonPress, ChatType, InboundMessage, MessageSource } from "../../platform/inbound.ts";

export interface TelegramSelf {
  readonly id: number;
  readonly username: string;
}

export interface TelegramRules {
  readonly requireMention: boolean;
  readonly mentionPatterns: readonly RegExp[];
  readonly freeChats: ReadonlySet<string>;
  readonly ignoredThreads: ReadonlySet<string>;
  readonly channelPrompts: Readonly<Record<string, string>>;
}

/** An update as a message; undefined for what Hermes does not listen to. */
export function readUpdate(update: Update, self: TelegramSelf, rules: TelegramRules): InboundMessage | undefined {
  const message = update.message ?? update.channel_post;
  if (message === undefined || message.from?.id === self.id) return undefined;
  const source = sourceOf(message, self);
  if (source.threadId !== undefined && rules.ignoredThreads.has(source.threadId)) return undefined;
  const { text, entities } = wordsOf(message);
  const attachments = attachmentsOf(message);
  if (text === "" && attachments.length === 0) return undefined;
  if (source.chatType !== "dm" && rules.requireMention && !isAddressed({ message, text, entities }, self, rules))
    return undefined;
  const quoted = message.reply_to_message;
  return {
    source,
    text: withoutMention(text, self),
    messageId: String(message.message_id),
    dedupKey: `telegram:${self.id}:${update.update_id}`,
    atMs: message.date * 1000,
    attachments,
    replyTo:
      quoted === undefined
        ? undefined
        : { messageId: String(quoted.message_id), text: message.quote?.text ?? quoted.text ?? quoted.caption },
    channelPrompt: rules.channelPrompts[source.threadId ?? ""] ?? rules.channelPrompts[source.chatId],
  };
}

export function readPress(update: Update, self: TelegramSelf): ButtonPress | undefined {
  const query = update.callback_query;
  const message = query?.message;
  if (query?.data === undefined || message === undefined) return undefined;
  const source = { ...sourceOf(message as Message, self), ...userOf(query.from) };
  const { data } = query;
  return { source, data, messageId: String(message.message_id), dedupKey: `telegram:${self.id}:${update.update_id}` };
}

function sourceOf(message: Message, self: TelegramSelf): MessageSource {
  const { chat } = message;
  const isForum = chat.type === "supergroup" && chat.is_forum === true;
  const topic = message.is_topic_message === true ? message.message_thread_id : undefined;
  // In a forum a message without a topic is in "General", which has the number 1.
  const thread = topic ?? (isForum ? 1 : undefined);
  return {
    platform: "telegram",
    account: String(self.id),
    chatId: String(chat.id),
    chatType: chatTypeOf(chat, isForum),
    chatName: chat.title ?? ([chat.first_name, chat.last_name].filter(Boolean).join(" ") || undefined),
    threadId: thread === undefined ? undefined : String(thread),
    ...(message.from === undefined ? {} : userOf(message.from)),
  };
}

function userOf(user: User): Pick<MessageSource, "userId" | "userName" | "userIdAlt" | "isBot"> {
  const name = [user.first_name, user.last_name].filter(Boolean).join(" ");
  return { userId: String(user.id), userName: name || user.username, isBot: user.is_bot };
}

function chatTypeOf(chat: Chat, isForum: boolean): ChatType {
  if (chat.type === "private") return "dm";
  if (chat.type === "channel") return "channel";
  return isForum ? "forum" : "group";
}

function wordsOf(message: Message): { readonly text: string; readonly entities: readonly MessageEntity[] } {
  const { venue, location } = message;
  if (location !== undefined) {
    const { latitude, longitude } = venue?.location ?? location;
    const name = venue === undefined ? "" : `${venue.title}, ${venue.address}: `;
    return { text: `[Location: ${name}${latitude}, ${longitude}]`, entities: [] };
  }
  return {
    text: message.text ?? message.caption ?? "",
    entities: message.entities ?? message.caption_entities ?? [],
  };
}

interface Words {
  readonly message: Message;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

/** By an entity, a reply, a command for us or a pattern; the name alone somewhere in the text does not count. */
function isAddressed({ message, text, entities }: Words, self: TelegramSelf, rules: TelegramRules): boolean {
  if (rules.freeChats.has(String(message.chat.id))) return true;
  if (message.reply_to_message?.from?.id === self.id) return true;
  const name = `@${self.username}`.toLowerCase();
  const isOurs = (entity: MessageEntity): boolean => {
    const part = text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
    if (entity.type === "mention") return part === name;
    if (entity.type === "text_mention") return entity.user.id === self.id;
    return entity.type === "bot_command" && part.endsWith(name);
  };
  return entities.some(isOurs) || rules.mentionPatterns.some((pattern) => pattern.test(text));
}

function withoutMention(text: string, { username }: TelegramSelf): string {
  if (text.startsWith("/")) return text;
  return text.replaceAll(new RegExp(`@${username}\\b\\s?`, "giu"), "").trim();
}

function attachmentsOf(message: Message): readonly Attachment[] {
  const { photo, video, voice, audio, document, animation, sticker } = message;
  const largest = photo?.at(-1);
  const found: Attachment[] = [];
  const add = (kind: Attachment["kind"], file: TelegramFile | undefined, mimeType?: string): void => {
    if (file === undefined) return;
    found.push({
      kind,
      ref: { fileId: file.file_id, uniqueId: file.file_unique_id },
      name: file.file_name,
      mimeType: file.mime_type ?? mimeType,
      bytes: file.file_size,
    });
  };
  add("image", largest, "image/jpeg");
  add("video", video);
  add("voice", voice, "audio/ogg");
  add("audio", audio);
  // An animation also comes as a document, for old clients.
  if (animation === undefined) add("document", document);
  add("animation", animation);
  add("sticker", sticker, sticker?.is_animated === true || sticker?.is_video === true ? undefined : "image/webp");
  return found;
}

interface TelegramFile {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
}
