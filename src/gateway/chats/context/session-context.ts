import { createHash } from "node:crypto";
import type { InboundMessage } from "../../platform/inbound.ts";

export interface SessionContextOptions {
  readonly platformLabel: string;
  readonly isShared: boolean;
  /** Ids are replaced by what cannot be turned back. */
  readonly hidesIds: boolean;
  /** Files of the machine that does the work can be sent. */
  readonly sendsFiles: boolean;
  /** Other platforms and where results can go; empty where the tools for that are not here. */
  readonly surroundings: string;
}

/** Platforms on which an id says who somebody is, and on which the model needs none. */
const personalIds: ReadonlySet<string> = new Set(["whatsapp", "signal", "telegram", "bluebubbles"]);
const notes: Readonly<Record<string, string>> = {
  slack: "You can do nothing in Slack but what your tools offer.",
  discord: "You can do nothing in Discord but what your tools offer.",
  bluebubbles: "Keep messages short: they are shown as bubbles.",
};

/** What a session in a chat is told about where it is. The same for the whole session, so that it costs no cache. */
export function sessionContext({ source, channelPrompt }: InboundMessage, options: SessionContextOptions): string {
  const { platform, chatType, chatId, chatName, chatTopic, userName, userId } = source;
  const hides = options.hidesIds && personalIds.has(platform);
  const chat = hides ? hidden(chatId) : chatId;
  const where = chatType === "dm" ? "a direct chat" : `the ${chatType} ${chatName ?? chat}`;
  const lines = [
    `You are talking over ${options.platformLabel}, in ${where} (id ${chat}).`,
    chatTopic === undefined ? "" : `Its topic: ${chatTopic}`,
    options.isShared
      ? "Several people share this conversation; each message begins with the name of who wrote it."
      : `You are talking to ${userName ?? "somebody"}${userId === undefined ? "" : ` (id ${hides ? `user_${hash(userId)}` : userId})`}.`,
    options.sendsFiles ? "To send a file, write `MEDIA:` and its absolute path on a line of its own." : "",
    notes[platform] ?? "",
    options.surroundings,
    channelPrompt ?? "",
  ];
  return lines.filter((line) => line !== "").join("\n");
}

/** A prefix before the id says what kind it is and stays. */
function hidden(id: string): string {
  const [, prefix = "", rest = id] = /^([a-z]+:)(.+)$/iu.exec(id) ?? [];
  return prefix + hash(rest);
}

function hash(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 12);
}
