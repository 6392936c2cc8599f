import type { Platform } from "../../platform/platform.ts";
import { renderedTexts } from "../../text/rendered.ts";
import { telegramStyle } from "./markup.ts";

const megabyte = 1024 * 1024;
const maxLength = 4096;

export const telegram: Platform = {
  id: "telegram",
  label: "Telegram",
  envPrefix: "TELEGRAM",
  sendsAlone: true,
  capabilities: {
    maxLength,
    lengthUnit: "utf16",
    canEdit: true,
    needsFinalEdit: false,
    canType: true,
    canReact: true,
    hasButtons: true,
    hasThreads: true,
    media: {
      image: 10 * megabyte,
      animation: 50 * megabyte,
      video: 50 * megabyte,
      audio: 50 * megabyte,
      voice: 50 * megabyte,
      document: 50 * megabyte,
    },
    settlesSends: "none",
    tier: "high",
    rate: { account: 30, chat: 1 },
  },
  credentials: [
    {
      name: "token",
      variable: "TELEGRAM_BOT_TOKEN",
      question: "Bot token",
      help: "Write to @BotFather in Telegram, send /newbot, and copy the token it gives you.",
      isSecret: true,
    },
    {
      name: "allowed_users",
      variable: "TELEGRAM_ALLOWED_USERS",
      question: "Your numeric user id (separated by commas)",
      help: "@userinfobot tells you your id. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  timing: ({ telegram: { media_batch_delay_seconds: album, followup_grace_seconds: grace } }) => ({
    albumMs: album * 1000,
    followupGraceMs: grace * 1000,
  }),
  lock: ({ platforms }) => ({ scope: "telegram-bot-token", identity: platforms["telegram"]?.token.reveal() ?? "" }),
  render: (markdown) =>
    renderedTexts(markdown, { style: telegramStyle, limit: maxLength, length: (text) => text.length }),
  readTarget(text) {
    const [, chatId, threadId] = /^(-?\d+)(?::(\d+))?$/u.exec(text) ?? [];
    return chatId === undefined ? undefined : { chatId, threadId };
  },
  async whoami(ports, signal) {
    const { telegramBot } = await import("./connection.ts");
    const { me } = await telegramBot(ports, signal);
    return me.username ?? String(me.id);
  },
  async connect(ports, signal) {
    const { connectTelegram } = await import("./connection.ts");
    return await connectTelegram(ports, signal);
  },
};
