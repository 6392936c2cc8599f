import type { Platform } from "../../platform/platform.ts";
import { plainStyle, renderMarkdown } from "../../text/markup.ts";
import { lengthIn, splitText } from "../../text/split.ts";
import { plainCapabilities } from "../support/plain-platform.ts";

const maxLength = 4000;

export const qqbot: Platform = {
  id: "qqbot",
  label: "QQ",
  envPrefix: "QQ",
  capabilities: plainCapabilities({
    maxLength,
    canType: true,
    rate: { account: 5, chat: 1 },
  }),
  credentials: [
    {
      name: "app_id",
      variable: "QQ_APP_ID",
      question: "AppID",
      help: "At q.qq.com: your bot, Development, Development settings.",
      isSecret: false,
    },
    {
      name: "token",
      variable: "QQ_CLIENT_SECRET",
      question: "AppSecret",
      help: "Beside the AppID. It is shown once.",
      isSecret: true,
    },
    {
      name: "allowed_users",
      variable: "QQ_ALLOWED_USERS",
      question: "OpenIDs that may use it (separated by commas)",
      help: "A person's OpenID is shown in the log when they write. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ qqbot: { app_id: identity } }) => ({ scope: "qqbot-appid", identity }),
  // The bot may write Markdown or not: both forms are at hand, and the connection knows which.
  render: (markdown) =>
    splitText(markdown, { limit: maxLength, measure: lengthIn("codepoints") }).map((text) => ({
      text,
      plain: renderMarkdown(text, plainStyle),
    })),
  readTarget: (text) => (/^(?:user|group|channel|guild):\w+$/u.test(text) ? { chatId: text } : undefined),
  async connect(ports, signal) {
    const { connectQq } = await import("./connection.ts");
    return await connectQq(ports, signal);
  },
};
