import type { Platform } from "../../platform/platform.ts";
import { allowedUsersField, markdownTexts, plainCapabilities } from "../support/plain-platform.ts";

const maxLength = 4000;
/** What is too large for its kind goes as a file. */
const largestFile = 20 * 1024 * 1024;

export const wecom: Platform = {
  id: "wecom",
  label: "WeCom (AI bot)",
  envPrefix: "WECOM",
  hasOwnRules: true,
  capabilities: plainCapabilities({
    maxLength,
    media: {
      image: largestFile,
      animation: largestFile,
      video: largestFile,
      audio: largestFile,
      voice: largestFile,
      document: largestFile,
    },
    rate: { account: 10, chat: 0.5 },
  }),
  credentials: [
    {
      name: "bot_id",
      variable: "WECOM_BOT_ID",
      question: "Bot ID",
      help: "In WeCom: Workbench, Smart Bots, create one in API mode with a long connection.",
      isSecret: false,
    },
    {
      name: "token",
      variable: "WECOM_SECRET",
      question: "Secret of the bot",
      help: "Beside the Bot ID.",
      isSecret: true,
    },
    allowedUsersField("WECOM", "As the directory names them."),
  ],
  lock: ({ wecom: { bot_id: identity } }) => ({ scope: "wecom-bot-id", identity }),
  render: (markdown) => markdownTexts(markdown, maxLength),
  readTarget: (text) => (/^[\w.@-]{2,}$/u.test(text) ? { chatId: text } : undefined),
  async connect(ports, signal) {
    const { connectWecom } = await import("./connection.ts");
    return await connectWecom(ports, signal);
  },
};
