import type { Platform } from "../../platform/platform.ts";
import { lengthIn, splitText } from "../../text/split.ts";

const megabyte = 1024 * 1024;
const maxLength = 2000;

export const discord: Platform = {
  id: "discord",
  label: "Discord",
  envPrefix: "DISCORD",
  sendsAlone: true,
  capabilities: {
    maxLength,
    lengthUnit: "codepoints",
    canEdit: true,
    needsFinalEdit: false,
    canType: true,
    canReact: true,
    hasButtons: true,
    hasThreads: true,
    media: {
      image: 10 * megabyte,
      animation: 10 * megabyte,
      video: 10 * megabyte,
      audio: 10 * megabyte,
      voice: 10 * megabyte,
      document: 10 * megabyte,
    },
    settlesSends: "key",
    tier: "high",
    rate: { account: 50, chat: 1 },
  },
  credentials: [
    {
      name: "token",
      variable: "DISCORD_BOT_TOKEN",
      question: "Bot token",
      help: "At discord.com/developers: New Application, Bot, Reset Token. Turn on the Message Content intent, and invite the bot with the scopes bot and applications.commands.",
      isSecret: true,
    },
    {
      name: "allowed_users",
      variable: "DISCORD_ALLOWED_USERS",
      question: "User ids that may use it (separated by commas)",
      help: "Turn on Developer Mode under Advanced, then right-click a user and choose Copy User ID.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ platforms }) => ({ scope: "discord-bot-token", identity: platforms["discord"]?.token.reveal() ?? "" }),
  // Discord reads Markdown itself; there is nothing to translate.
  render: (markdown) =>
    splitText(markdown, { limit: maxLength, measure: lengthIn("codepoints") }).map((text) => ({ text, plain: text })),
  readTarget(text) {
    const [, chatId, threadId] = /^(\d{15,})(?::(\d{15,}))?$/u.exec(text) ?? [];
    return chatId === undefined ? undefined : { chatId, threadId };
  },
  async whoami(ports, signal) {
    const { discordBot } = await import("./connection.ts");
    return (await discordBot(ports, signal)).me.username;
  },
  async connect(ports, signal) {
    const { connectDiscord } = await import("./connection.ts");
    return await connectDiscord(ports, signal);
  },
};
