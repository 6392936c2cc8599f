/** Kinds of conversation, as session keys and reset rules name them. */
export type ChatType = "dm" | "group" | "channel" | "thread" | "forum" | "webhook";

/** Where a message came from. All ids are the platform's own, as text. */
export interface MessageSource {
  readonly platform: string;
  /** Which of our accounts on that platform received it: a bot's id, a number, an address. */
  readonly account: string;
  readonly chatId: string;
  readonly chatType: ChatType;
  readonly chatName?: string | undefined;
  readonly chatTopic?: string | undefined;
  /** Absent for messages nobody wrote; those are dropped unless they are Hermes' own. */
  readonly userId?: string | undefined;
  readonly userName?: string | undefined;
  /** A second id that stays the same when the first one changes (Signal's UUID, Feishu's union id). */
  readonly userIdAlt?: string | undefined;
  readonly chatIdAlt?: string | undefined;
  readonly threadId?: string | undefined;
  readonly parentChatId?: string | undefined;
  /** A Discord guild, a Slack workspace, a Matrix server. */
  readonly guildId?: string | undefined;
  /** What the writer is there, by the platform's ids; Discord's roles of a server. */
  readonly roles?: readonly string[] | undefined;
  readonly isBot?: boolean | undefined;
}

export type MediaKind = "image" | "animation" | "video" | "audio" | "voice" | "document" | "sticker";

/**
 * A file that came with a message. It is named here and fetched later through the connection that received it, so
 * that a slow download holds up neither the acknowledgement nor another chat.
 */
export interface Attachment {
  readonly kind: MediaKind;
  /** What the connection needs to fetch it. Stored with the message, so it holds no token. */
  readonly ref: Readonly<Record<string, string>>;
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly bytes?: number | undefined;
}

/** One event of a platform in the form all of Hermes uses; stored as JSON in the inbox. */
export interface InboundMessage {
  readonly source: MessageSource;
  /** Without the mention of our own name. */
  readonly text: string;
  readonly messageId?: string | undefined;
  /** The same for every delivery of this event, and different for every other: `telegram:<bot>:<update>`. */
  readonly dedupKey: string;
  readonly atMs: number;
  readonly attachments: readonly Attachment[];
  readonly replyTo?: { readonly messageId: string; readonly text?: string | undefined } | undefined;
  /** False: it was not said to Hermes, who hears all of this channel. */
  readonly isAddressed?: boolean | undefined;
  /** What others had said where it was written, before Hermes was there. */
  readonly earlier?: string | undefined;
  /** Further instructions of this channel; never stored in a transcript. */
  readonly channelPrompt?: string | undefined;
  /** What a session that begins with it is given to read first. */
  readonly skills?: readonly string[] | undefined;
  /** Words of strangers are in it: where they came from. */
  readonly untrusted?: string | undefined;
  /** Nobody wrote it: it is Hermes' own, so nobody's rights are asked for, and it stops no turn. Never set by adapters. */
  readonly isInternal?: true | undefined;
  /** The chat that hears the answer, when it is not the one that asked. */
  readonly answerTo?: MessageSource | undefined;
}

/** A press on a button that Hermes sent. `data` is what the button carried. */
export interface ButtonPress {
  readonly source: MessageSource;
  readonly dedupKey: string;
  /** The message the button stands under. */
  readonly messageId: string;
  readonly data: string;
}
