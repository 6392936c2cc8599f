import type { Platform } from "../../platform/platform.ts";
import { allowedUsersField, markdownTexts, plainCapabilities } from "../support/plain-platform.ts";

const maxLength = 8_000;
const megabyte = 1024 * 1024;

export const feishu: Platform = {
  id: "feishu",
  label: "Feishu / Lark",
  envPrefix: "FEISHU",
  hasOwnRules: true,
  capabilities: plainCapabilities({
    maxLength,
    canEdit: true,
    hasButtons: true,
    hasThreads: true,
    media: {
      image: 10 * megabyte,
      animation: 10 * megabyte,
      video: 30 * megabyte,
      audio: 30 * megabyte,
      voice: 30 * megabyte,
      document: 30 * megabyte,
    },
    settlesSends: "key",
    tier: "medium",
    rate: { account: 20, chat: 4 },
  }),
  credentials: [
    {
      name: "app_id",
      variable: "FEISHU_APP_ID",
      question: "App ID (cli_…)",
      help: "At open.feishu.cn (open.larksuite.com for Lark): a custom app with the ability Bot; Credentials & Basic Info.",
      isSecret: false,
    },
    {
      name: "token",
      variable: "FEISHU_APP_SECRET",
      question: "App Secret",
      help: "Beside the App ID.",
      isSecret: true,
    },
    {
      name: "domain",
      variable: "FEISHU_DOMAIN",
      question: "Which service: feishu or lark",
      help: "Left empty, it is feishu.",
      isSecret: false,
      isOptional: true,
    },
    allowedUsersField("FEISHU", "Open ids (ou_…), union ids (on_…) or user ids."),
  ],
  lock: ({ feishu: { app_id: identity } }) => ({ scope: "feishu-app-id", identity }),
  render: (markdown) => markdownTexts(markdown, maxLength),
  readTarget(text) {
    const [, chatId, threadId] = /^((?:oc|ou|on|chat|open)_\w+)(?::(om_\w+))?$/u.exec(text) ?? [];
    if (chatId !== undefined) return { chatId, threadId };
    return /^doc:\w+:\w+:\w+$/u.test(text) ? { chatId: text } : undefined;
  },
  async connect(ports, signal) {
    const { connectFeishu } = await import("./connection.ts");
    return await connectFeishu(ports, signal);
  },
};
