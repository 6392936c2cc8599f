import { isRecord } from "#foundation/text/json";
import type { Attachment, ButtonPress, InboundMessage, MediaKind, MessageSource } from "../../platform/inbound.ts";

export interface SlackSelf {
  /** Of us, for all workspaces together. */
  readonly account: string;
  readonly userId: string;
  readonly teamId: string;
  readonly botId: string | undefined;
}

export interface SlackRules {
  readonly requireMention: boolean;
  readonly freeChannels: ReadonlySet<string>;
  readonly allowBots: "none" | "mentions" | "all";
  readonly dmThreadsAsSessions: boolean;
  /** False: what is said in a channel is answered in the channel; a thread that exists is answered in it. */
  readonly repliesInThread: boolean;
  readonly channelPrompts: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;
/** Changes of messages and comings and goings are no messages. */
const spokenSubtypes: ReadonlySet<string> = new Set([
  "",
  "file_share",
  "thread_broadcast",
  "bot_message",
  "me_message",
]);

/** Words after `/hermes` that are commands; anything else is a question. */
const subcommands: ReadonlySet<string> = new Set(
  "approve commands compress deny help model new queue resume retry status steer stop title undo usage".split(" "),
);

const text = (fields: Fields, name: string): string => (typeof fields[name] === "string" ? fields[name] : "");

/** What an event says; `needsThreadCheck`: it counts only if we take part in its thread already. */
export function readEvent(
  event: Fields,
  self: SlackSelf,
  rules: SlackRules,
): { readonly message: InboundMessage; readonly needsThreadCheck: boolean } | undefined {
  if (!["message", "app_mention"].includes(text(event, "type")) || !spokenSubtypes.has(text(event, "subtype")))
    return undefined;
  const [userId, ts, channel] = [text(event, "user"), text(event, "ts"), text(event, "channel")];
  const isBot = text(event, "bot_id") !== "";
  if (userId === self.userId || (isBot && text(event, "bot_id") === self.botId)) return undefined;
  const words = text(event, "text");
  const isMentioned = words.includes(`<@${self.userId}>`);
  if (isBot && (rules.allowBots === "none" || (rules.allowBots === "mentions" && !isMentioned))) return undefined;
  const isDirect = text(event, "channel_type") === "im" || channel.startsWith("D");
  const threadTs = text(event, "thread_ts");
  const isFree = isDirect || isMentioned || !rules.requireMention || rules.freeChannels.has(channel);
  if (!isFree && threadTs === "") return undefined;
  const opensThread = rules.repliesInThread && (!isDirect || rules.dmThreadsAsSessions);
  const ownThread = opensThread ? ts : undefined;
  const threadId = threadTs === "" ? ownThread : threadTs;
  const source: MessageSource = {
    platform: "slack",
    account: self.account,
    chatId: channel,
    chatType: isDirect ? "dm" : "group",
    threadId,
    guildId: text(event, "team") || self.teamId,
    userId: userId || text(event, "bot_id"),
    userName: userNameOf(event),
    isBot,
  };
  const message: InboundMessage = {
    source,
    text: unescaped(words.replaceAll(`<@${self.userId}>`, "")).trim(),
    messageId: ts,
    dedupKey: `slack:${self.teamId}:${channel}:${ts}`,
    atMs: Math.round(Number(ts) * 1000) || 0,
    attachments: filesOf(event, self.teamId),
    channelPrompt: rules.channelPrompts[channel],
    isAddressed: isDirect || isMentioned,
  };
  return { message, needsThreadCheck: !isFree };
}

/** `/hermes question`, or another command of the app: the rest is a command when it names one, else words. */
export function readSlashCommand(body: Fields, self: SlackSelf): InboundMessage {
  const command = text(body, "command").replace(/^\//u, "");
  const rest = text(body, "text").trim();
  const isCommand = subcommands.has(rest.split(/\s/u)[0] ?? "");
  const line = command === "hermes" ? `${isCommand ? "/" : ""}${rest}` : `/${command} ${rest}`;
  const channel = text(body, "channel_id");
  return {
    source: {
      platform: "slack",
      account: self.account,
      chatId: channel,
      chatType: channel.startsWith("D") ? "dm" : "group",
      guildId: text(body, "team_id"),
      userId: text(body, "user_id"),
      userName: text(body, "user_name"),
    },
    text: line.trim(),
    dedupKey: `slack:${self.teamId}:command:${text(body, "trigger_id")}`,
    atMs: 0,
    attachments: [],
  };
}

export function readAction(payload: Fields, self: SlackSelf): ButtonPress | undefined {
  const { user, channel, message, actions } = payload;
  const [action] = Array.isArray(actions) ? actions : [];
  if (!isRecord(user) || !isRecord(channel) || !isRecord(message) || !isRecord(action)) return undefined;
  const chatId = text(channel, "id");
  const ts = text(message, "ts");
  return {
    source: {
      platform: "slack",
      account: self.account,
      chatId,
      chatType: chatId.startsWith("D") ? "dm" : "group",
      threadId: text(message, "thread_ts") || undefined,
      userId: text(user, "id"),
      userName: text(user, "name"),
    },
    data: text(action, "value"),
    messageId: ts,
    dedupKey: `slack:${self.teamId}:action:${chatId}:${ts}:${text(action, "action_ts")}`,
  };
}

function userNameOf(event: Fields): string | undefined {
  const profile = event["user_profile"];
  return (
    (isRecord(profile) && (text(profile, "display_name") || text(profile, "real_name"))) ||
    text(event, "username") ||
    undefined
  );
}

function unescaped(words: string): string {
  return words.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function filesOf(event: Fields, team: string): readonly Attachment[] {
  const files = Array.isArray(event["files"]) ? event["files"].filter(isRecord) : [];
  return files.map((file) => ({
    kind: kindOf(text(file, "mimetype")),
    ref: { url: text(file, "url_private_download") || text(file, "url_private"), team },
    name: text(file, "name") || undefined,
    mimeType: text(file, "mimetype") || undefined,
    bytes: typeof file["size"] === "number" ? file["size"] : undefined,
  }));
}

function kindOf(mimeType: string): MediaKind {
  const [family] = mimeType.split("/");
  if (mimeType === "image/gif") return "animation";
  return family === "image" || family === "video" || family === "audio" ? family : "document";
}
