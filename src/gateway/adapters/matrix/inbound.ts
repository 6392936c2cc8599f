import type { Attachment, InboundMessage, MediaKind } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";

export interface MatrixRules {
  readonly userId: string;
  readonly requireMention: boolean;
  readonly freeRooms: ReadonlySet<string>;
  readonly mentionPatterns: readonly RegExp[];
  /** In rooms, a mention opens a thread; in direct messages only when asked for. */
  readonly startsThreads: boolean;
  readonly startsDirectThreads: boolean;
  readonly channelPrompts: Readonly<Record<string, string>>;
}

export interface Room {
  readonly id: string;
  readonly isDirect: boolean;
}

/** Undefined for what is not meant for us: our own words, notices of bots, edits, and talk among others. */
export function readEvent(event: Fields, room: Room, rules: MatrixRules): InboundMessage | undefined {
  const content = fieldsAt(event, "content");
  const [id, sender, type] = [textAt(event, "event_id"), textAt(event, "sender"), textAt(content, "msgtype")];
  const relation = fieldsAt(content, "m.relates_to");
  if (textAt(event, "type") !== "m.room.message" || id === "" || sender === rules.userId) return undefined;
  if (type === "" || type === "m.notice" || relation["rel_type"] === "m.replace") return undefined;
  const files = fileOf(content, type);
  const words = files.length > 0 ? "" : withoutQuote(textAt(content, "body"));
  const isMentioned = mentions(content, words, rules);
  if (!room.isDirect && rules.requireMention && !isMentioned && !rules.freeRooms.has(room.id)) return undefined;
  const inThread = relation["rel_type"] === "m.thread" ? textAt(relation, "event_id") : "";
  const opens = room.isDirect ? rules.startsDirectThreads && isMentioned : rules.startsThreads;
  const reply = relation["is_falling_back"] === true ? "" : textAt(fieldsAt(relation, "m.in_reply_to"), "event_id");
  return {
    source: {
      platform: "matrix",
      account: rules.userId,
      chatId: room.id,
      chatType: room.isDirect ? "dm" : "group",
      threadId: inThread || (opens ? id : undefined),
      userId: sender,
      guildId: room.id.split(":").at(1),
    },
    text: asCommand(withoutMention(words, rules.userId)),
    messageId: id,
    dedupKey: `matrix:${rules.userId}:${id}`,
    atMs: Number(event["origin_server_ts"]) || 0,
    attachments: files,
    replyTo: reply === "" ? undefined : { messageId: reply },
    channelPrompt: rules.channelPrompts[room.id],
  };
}

function localpartOf(userId: string): string {
  return userId.slice(1).split(":")[0] ?? "";
}

function mentions(content: Fields, words: string, { userId, mentionPatterns }: MatrixRules): boolean {
  const listed = fieldsAt(content, "m.mentions")["user_ids"];
  if (Array.isArray(listed) && listed.includes(userId)) return true;
  const html = textAt(content, "formatted_body");
  if (words.includes(userId) || html.includes(`matrix.to/#/${userId}`)) return true;
  const name = localpartOf(userId).replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  return new RegExp(`(?<![\\w])${name}(?![\\w])`, "iu").test(words) || mentionPatterns.some((one) => one.test(words));
}

function withoutMention(words: string, userId: string): string {
  const start = new RegExp(`^@?${localpartOf(userId)}(?=[\\s:,])[:,]?\\s*`, "iu");
  return words
    .replaceAll(userId, "")
    .replace(start, "")
    .replace(/^[:,]\s*/u, "")
    .trim();
}

/** Clients keep `/` for themselves, so `!help` is `/help`. */
function asCommand(text: string): string {
  return text.replace(/^!(?=[a-z])/iu, "/");
}

/** Older clients repeat what they answer to. */
function withoutQuote(body: string): string {
  return body.replace(/^(?:> .*\n)+\n/u, "");
}

const kinds: Readonly<Record<string, MediaKind>> = {
  "m.image": "image",
  "m.audio": "audio",
  "m.video": "video",
  "m.file": "document",
};

function fileOf(content: Fields, type: string): readonly Attachment[] {
  const kind = kinds[type];
  // In an encrypted room the file is encrypted as well, and the message names its key.
  const closed = fieldsAt(content, "file");
  const url = textAt(content, "url") || textAt(closed, "url");
  if (kind === undefined || !url.startsWith("mxc://")) return [];
  const info = fieldsAt(content, "info");
  const isVoice = kind === "audio" && content["org.matrix.msc3245.voice"] !== undefined;
  return [
    {
      kind: isVoice ? "voice" : kind,
      ref: { mxc: url, ...(textAt(closed, "url") === url ? { file: JSON.stringify(closed) } : {}) },
      name: textAt(content, "filename") || textAt(content, "body") || undefined,
      mimeType: textAt(info, "mimetype") || undefined,
      bytes: typeof info["size"] === "number" ? info["size"] : undefined,
    },
  ];
}
