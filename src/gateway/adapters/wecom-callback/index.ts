import type { Platform } from "../../platform/platform.ts";
import { plainStyle } from "../../text/markup.ts";
import { renderedTexts } from "../../text/rendered.ts";
import { lengthIn } from "../../text/split.ts";
import { plainCapabilities } from "../support/plain-platform.ts";

const maxLength = 2048;

export const wecomCallback: Platform = {
  id: "wecom_callback",
  label: "WeCom (self-built app)",
  envPrefix: "WECOM_CALLBACK",
  capabilities: plainCapabilities({
    maxLength,
    lengthUnit: "bytes",
    rate: { account: 10, chat: 0.5 },
  }),
  credentials: [
    {
      name: "corp_id",
      variable: "WECOM_CALLBACK_CORP_ID",
      question: "Corporation id (ww…)",
      help: "In the admin console: My Company, at the bottom.",
      isSecret: false,
    },
    {
      name: "corp_secret",
      variable: "WECOM_CALLBACK_CORP_SECRET",
      question: "Secret of the app",
      help: "In the admin console: App Management, your self-built app.",
      isSecret: true,
    },
    {
      name: "agent_id",
      variable: "WECOM_CALLBACK_AGENT_ID",
      question: "AgentId of the app",
      help: "Above the secret.",
      isSecret: false,
    },
    {
      name: "token",
      variable: "WECOM_CALLBACK_TOKEN",
      question: "Token",
      help: "In the app under Receive Messages, Set API: press Random, and copy it before you save.",
      isSecret: true,
    },
    {
      name: "encoding_aes_key",
      variable: "WECOM_CALLBACK_ENCODING_AES_KEY",
      question: "EncodingAESKey",
      help: "Beside the token. Save in WeCom only when Hermes runs: it is asked at once.",
      isSecret: true,
    },
    {
      name: "allowed_users",
      variable: "WECOM_CALLBACK_ALLOWED_USERS",
      question: "User ids that may use it (separated by commas)",
      help: "As the directory names them. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ wecom_callback: { corp_id: corp, agent_id: agent } }) => ({
    scope: "wecom-app",
    identity: `${corp}:${agent}`,
  }),
  render: (markdown) => renderedTexts(markdown, { style: plainStyle, limit: maxLength, length: lengthIn("bytes") }),
  readTarget: (text) => (/^ww\w+:[\w.@-]+$/u.test(text) ? { chatId: text } : undefined),
  async connect(ports, signal) {
    const { connectWecomCallback } = await import("./connection.ts");
    return await connectWecomCallback(ports, signal);
  },
};
