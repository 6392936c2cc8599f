import type { Platform } from "../../../platform/platform.ts";
import { renderedTexts } from "../../../text/rendered.ts";
import { lengthIn } from "../../../text/split.ts";
import { allowedUsersField, plainCapabilities } from "../../support/plain-platform.ts";
import { whatsappStyle } from "../markup.ts";

/** WhatsApp's 4,096, with room for the words before every answer. */
const maxLength = 4000;
const megabyte = 1024 * 1024;

/** WhatsApp as a linked device of a person's account (`whatsapp.backend: bridge`). */
export const whatsappBridge: Platform = {
  id: "whatsapp",
  label: "WhatsApp (linked device)",
  envPrefix: "WHATSAPP",
  hasOwnRules: true,
  hasOwnPrefix: true,
  capabilities: plainCapabilities({
    maxLength,
    lengthUnit: "utf16",
    canEdit: true,
    canType: true,
    media: {
      image: 16 * megabyte,
      video: 64 * megabyte,
      audio: 16 * megabyte,
      voice: 16 * megabyte,
      document: 100 * megabyte,
    },
    settlesSends: "key",
    rate: { account: 5, chat: 1 },
  }),
  credentials: [
    {
      name: "bridge_token",
      variable: "WHATSAPP_BRIDGE_TOKEN",
      question: "Token of the bridge",
      help: "A long secret you choose; start the bridge with the same one. Without it any program here could read your chats.",
      isSecret: true,
    },
    allowedUsersField("WHATSAPP", "Numbers with country codes, digits only; your own for self-chat."),
  ],
  lock: ({ whatsapp: { bridge_url: identity } }) => ({ scope: "whatsapp-session", identity }),
  render: (markdown) => renderedTexts(markdown, { style: whatsappStyle, limit: maxLength, length: lengthIn("utf16") }),
  readTarget(text) {
    const [, number] = /^\+?(\d{6,15})$/u.exec(text) ?? [];
    if (number !== undefined) return { chatId: `${number}@s.whatsapp.net` };
    return /^[\d-]+@(?:s\.whatsapp\.net|g\.us|lid)$/u.test(text) ? { chatId: text } : undefined;
  },
  async connect(ports, signal) {
    const { connectBridge } = await import("./connection.ts");
    return await connectBridge(ports, signal);
  },
  async pair(ports, signal) {
    const { pairBridge } = await import("./pair.ts");
    await pairBridge(ports, signal);
  },
};
