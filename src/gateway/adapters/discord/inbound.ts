import type { APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import type { Attachment, InboundMessage, MediaKind, MessageSource } from "../../platform/inbound.ts";
import type { KnownChannel } from "./channels.ts";

export interface DiscordRules {
  readonly requireMention: boolean;
  readonly freeChannels: ReadonlySet<string>;
  readonly allowedChannels: ReadonlySet<string>;
  readonly ignoredChannels: ReadonlySet<string>;
  readonly noThreadChannels: ReadonlySet<string>;
  readonly autoThread: boolean;
  readonly ignoreNoMention: boolean;
  readonly allowBots: "none" | "mentions" | "all";
  readonly channelPrompts: Readonly<Record<string, string>>;
}

/** `opensThread`: the answer belongs in a thread that does not exist yet. */
export interface ReadMessage {
  readonly message: InboundMessage;
  readonly opensThread: boolean;
}

/** Words and answers; everything else Discord posts by itself. */
const spokenTypes: ReadonlySet<number> = new Set([0, 19]);

export function readMessage(
  data: GatewayMessageCreateDispatchData,
  self: { readonly id: string },
  { rules, channel }: { readonly rules: DiscordRules; readonly channel: KnownChannel | undefined },
): ReadMessage | undefined {
  if (!spokenTypes.has(data.type) || data.author.id === self.id) return undefined;
  const isDirect = data.guild_id === undefined;
  const isMentioned = data.mentions.some(({ id }) => id === self.id);
  const isBot = data.author.bot === true;
  if (isBot && (rules.allowBots === "none" || (rules.allowBots === "mentions" && !isMentioned))) return undefined;
  const locations = [data.channel_id, channel?.parentId ?? ""];
  const isIn = (list: ReadonlySet<string>): boolean => locations.some((id) => list.has(id));
  if (!isDirect) {
    if (isIn(rules.ignoredChannels)) return undefined;
    if (rules.allowedChannels.size > 0 && !isIn(rules.allowedChannels)) return undefined;
    if (rules.ignoreNoMention && !isMentioned && data.mentions.length > 0) return undefined;
    const isOurThread = channel?.isThread === true && channel.ownerId === self.id;
    const isAnswerToUs = data.referenced_message?.author.id === self.id;
    if (rules.requireMention && !isMentioned && !isOurThread && !isAnswerToUs && !isIn(rules.freeChannels))
      return undefined;
  }
  const isFree = isIn(rules.freeChannels) || isIn(rules.noThreadChannels);
  const opensThread =
    !isDirect && channel?.isThread !== true && rules.autoThread && isMentioned && !isFree && data.type === 0;
  return { message: messageOf(data, self, { rules, channel }), opensThread };
}

function messageOf(
  data: GatewayMessageCreateDispatchData,
  self: { readonly id: string },
  { rules, channel }: { readonly rules: DiscordRules; readonly channel: KnownChannel | undefined },
): InboundMessage {
  const quoted = data.referenced_message ?? undefined;
  return {
    source: sourceOf(data, self, channel),
    text: data.content.replaceAll(new RegExp(`<@!?${self.id}>\\s?`, "gu"), "").trim(),
    messageId: data.id,
    dedupKey: `discord:${self.id}:${data.id}`,
    atMs: Date.parse(data.timestamp) || 0,
    attachments: attachmentsOf(data),
    replyTo: quoted === undefined ? undefined : { messageId: quoted.id, text: quoted.content },
    channelPrompt: rules.channelPrompts[data.channel_id] ?? rules.channelPrompts[channel?.parentId ?? ""],
  };
}

function sourceOf(
  data: GatewayMessageCreateDispatchData,
  self: { readonly id: string },
  channel: KnownChannel | undefined,
): MessageSource {
  const isDirect = data.guild_id === undefined;
  const isThread = channel?.isThread === true;
  const named = channel?.guildName === undefined ? channel?.name : `${channel.guildName} / #${channel.name}`;
  return {
    platform: "discord",
    account: self.id,
    chatId: data.channel_id,
    chatType: isDirect ? "dm" : isThread ? "thread" : "group",
    chatName: named === "" ? undefined : named,
    chatTopic: channel?.topic,
    threadId: isThread ? data.channel_id : undefined,
    parentChatId: channel?.parentId,
    guildId: data.guild_id,
    userId: data.author.id,
    userName: data.member?.nick ?? data.author.global_name ?? data.author.username,
    roles: data.member?.roles,
    isBot: data.author.bot,
  };
}

/** The same message in the thread that was opened for it. */
export function inThread({ source, ...message }: InboundMessage, threadId: string): InboundMessage {
  return {
    ...message,
    source: { ...source, chatType: "thread", chatId: threadId, threadId, parentChatId: source.chatId },
  };
}

function attachmentsOf({ attachments }: Pick<APIMessage, "attachments">): readonly Attachment[] {
  return attachments.map(({ url, filename, content_type: type, size, duration_secs: duration }) => ({
    kind: kindOf(type ?? "", duration !== undefined),
    ref: { url },
    name: filename,
    mimeType: type,
    bytes: size,
  }));
}

function kindOf(type: string, isVoice: boolean): MediaKind {
  const [family] = type.split("/");
  if (type === "image/gif") return "animation";
  if (family === "audio") return isVoice ? "voice" : "audio";
  return family === "image" || family === "video" ? family : "document";
}
