import { type DiscordServer, startDiscordServer } from "../../test/fakes/platforms/discord-server.ts";
import { type SlackServer, startSlackServer } from "../../test/fakes/platforms/slack-server.ts";
import { startTelegramServer, type TelegramServer } from "../../test/fakes/platforms/telegram-server.ts";
import { startMail } from "./mail.ts";
import { oneChatPlatforms, otherWays, servicePlatforms, startService } from "./services.ts";
import { startWebhook } from "./webhook.ts";

export type SendFault = "server-error" | "rate-limited" | "accept-then-cut";

/** What stands in a chat, oldest first. */
export interface Shown {
  readonly chat: number;
  readonly text: string;
}

/** People who write on one platform, and what goes wrong there. Chats are numbered. */
export interface Crowd extends AsyncDisposable {
  readonly platform: string;
  readonly config: string;
  readonly env: string;
  /** Every message is a conversation of its own, so that there is no order between answers. */
  readonly keepsNoOrder?: true;
  /** All answers go to one place, one after the other: one that fails is tried again before any other goes. */
  readonly isOneLane?: boolean;
  say(chat: number, text: string): void;
  /** The last event is delivered once more. */
  repeat(): void;
  failNextSend(fault: SendFault): void;
  /** The connection breaks, or stays open and says nothing more. */
  breakConnection(kind: "broken" | "half-open"): void;
  shown(): readonly Shown[];
  /** Of each connection that has ended what was written to it, where the service is told nothing back. */
  handedOver?(): readonly (readonly string[])[];
}

const makers: Readonly<Record<string, () => Promise<Crowd>>> = {
  telegram,
  discord,
  slack,
  email: startMail,
  webhook: startWebhook,
};

/** Every platform of the product, and the second way to reach one. */
export const proofPlatforms: readonly string[] = [...Object.keys(makers), ...servicePlatforms];

/** Those that can be served beside each other: one way to reach each, and many chats on all of them. */
export const besideEachOther: readonly string[] = proofPlatforms.filter(
  (name) => otherWays[name] === undefined && !oneChatPlatforms.includes(name),
);

export async function startCrowds(platforms: readonly string[]): Promise<readonly Crowd[]> {
  return await Promise.all(platforms.map(async (platform) => await (makers[platform]?.() ?? startService(platform))));
}

const firstTelegramChat = 1_000;

async function telegram(): Promise<Crowd> {
  const server: TelegramServer = await startTelegramServer();
  let last = 0;
  const faults = {
    "server-error": { kind: "status", status: 500, description: "Internal" },
    "rate-limited": { kind: "status", status: 429, description: "Too Many", retryAfter: 1 },
    "accept-then-cut": { kind: "accept-then-cut" },
  } as const;
  return {
    platform: "telegram",
    config: `telegram: { base_url: "${server.url}", allow_all_users: true }`,
    env: `TELEGRAM_BOT_TOKEN=${server.token}\n`,
    say(chat, text) {
      const chatId = firstTelegramChat + chat;
      last = server.text(text, { chatId, from: chatId });
    },
    repeat: () => void server.update({}, last),
    failNextSend: (fault) => server.trouble("sendMessage", faults[fault]),
    breakConnection: (kind) => server.trouble("getUpdates", { kind: kind === "broken" ? "cut" : "silent" }),
    shown: () => server.shown().map(({ chatId, text }) => ({ chat: Number(chatId) - firstTelegramChat, text })),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function discord(): Promise<Crowd> {
  const server: DiscordServer = await startDiscordServer();
  const first = 700_000_000_000_000_000n;
  let count = 0;
  const faults = {
    "server-error": { status: 500, body: { message: "Internal", code: 0 } },
    "rate-limited": { status: 429, body: { message: "You are being rate limited.", retry_after: 1, global: false } },
    "accept-then-cut": "accept-then-cut",
  } as const;
  return {
    platform: "discord",
    config: `discord: { base_url: "${server.url}", allow_all_users: true, require_mention: false, auto_thread: false }`,
    env: `DISCORD_BOT_TOKEN=${server.token}\n`,
    say(chat, content) {
      count += 1;
      server.dispatch("MESSAGE_CREATE", {
        id: String(900_000_000_000_000_000n + BigInt(count)),
        channel_id: String(first + BigInt(chat)),
        type: 0,
        content,
        author: { id: String(chat + 1), username: `user${chat}`, discriminator: "0" },
        mentions: [],
        attachments: [],
        timestamp: "2026-01-01T00:00:00.000Z",
      });
    },
    repeat: () => server.repeat(),
    failNextSend: (fault) => server.trouble(faults[fault]),
    breakConnection: () => server.dropSockets(),
    shown: () =>
      server.shown().map(({ channelId, content }) => ({ chat: Number(BigInt(channelId) - first), text: content })),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function slack(): Promise<Crowd> {
  const server: SlackServer = await startSlackServer();
  let count = 0;
  const faults = {
    "server-error": { error: "internal_error" },
    "rate-limited": "ratelimited",
    "accept-then-cut": "accept-then-cut",
  } as const;
  return {
    platform: "slack",
    config: `slack: { base_url: "${server.url}", allow_all_users: true, require_mention: false, dm_top_level_threads_as_sessions: false }`,
    env: `SLACK_BOT_TOKEN=${server.botToken}\nSLACK_APP_TOKEN=${server.appToken}\n`,
    say(chat, text) {
      count += 1;
      const channel = `D000000${String(chat).padStart(4, "0")}`;
      const ts = `16900${String(count).padStart(5, "0")}.000100`;
      server.event({ type: "message", channel, channel_type: "im", user: `U${chat}`, team: "T1", ts, text });
    },
    repeat: () => server.repeat(),
    failNextSend: (fault) => server.trouble("chat.postMessage", faults[fault]),
    breakConnection: () => server.dropSockets(),
    shown: () => server.shown().map(({ channel, text }) => ({ chat: Number(channel.slice(-4)), text })),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
