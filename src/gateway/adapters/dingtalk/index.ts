import type { Platform } from "../../platform/platform.ts";
import { allowedUsersField, markdownTexts, plainCapabilities } from "../support/plain-platform.ts";
import { dingtalkMarkdown } from "./markup.ts";

const maxLength = 20_000;

export const dingtalk: Platform = {
  id: "dingtalk",
  label: "DingTalk",
  envPrefix: "DINGTALK",
  capabilities: plainCapabilities({ maxLength, canReact: true, rate: { account: 20, chat: 1 } }),
  // Only a card can change after it was sent, and a card needs a template.
  canEditWith: ({ dingtalk: { card_template_id: template } }) => template !== "",
  credentials: [
    {
      name: "client_id",
      variable: "DINGTALK_CLIENT_ID",
      question: "Client ID (AppKey)",
      help: "At open-dev.dingtalk.com: your app, Credentials. Add a robot to the app and choose stream mode.",
      isSecret: false,
    },
    {
      name: "token",
      variable: "DINGTALK_CLIENT_SECRET",
      question: "Client Secret (AppSecret)",
      help: "Beside the Client ID.",
      isSecret: true,
    },
    allowedUsersField("DINGTALK", "User ids are listed in the directory of the admin console."),
  ],
  lock: ({ dingtalk: { client_id: identity } }) => ({ scope: "dingtalk-client-id", identity }),
  render: (markdown) => markdownTexts(dingtalkMarkdown(markdown), maxLength),
  readTarget: (text) => (/^(?:cid[\w+/=-]+|[\w$:.-]{3,})$/u.test(text) ? { chatId: text } : undefined),
  async connect(ports, signal) {
    const { connectDingtalk } = await import("./connection.ts");
    return await connectDingtalk(ports, signal);
  },
};
