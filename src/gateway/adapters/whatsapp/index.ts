import type { Platform } from "../../platform/platform.ts";
import { renderedTexts } from "../../text/rendered.ts";
import { lengthIn } from "../../text/split.ts";
import { whatsappStyle } from "./markup.ts";

const maxLength = 4096;
const megabyte = 1024 * 1024;

export const whatsapp: Platform = {
  id: "whatsapp",
  label: "WhatsApp",
  envPrefix: "WHATSAPP",
  sendsAlone: true,
  capabilities: {
    maxLength,
    lengthUnit: "utf16",
    canEdit: false,
    needsFinalEdit: false,
    canType: true,
    canReact: true,
    hasButtons: true,
    hasThreads: false,
    media: {
      image: 5 * megabyte,
      video: 16 * megabyte,
      audio: 16 * megabyte,
      voice: 16 * megabyte,
      document: 100 * megabyte,
    },
    settlesSends: "none",
    tier: "low",
    rate: { account: 20, chat: 1 },
  },
  credentials: [
    {
      name: "token",
      variable: "WHATSAPP_CLOUD_ACCESS_TOKEN",
      question: "Access token",
      help: "At developers.facebook.com: an app with the product WhatsApp; under Business settings a system user with the right whatsapp_business_messaging, and its token.",
      isSecret: true,
    },
    {
      name: "phone_number_id",
      variable: "WHATSAPP_CLOUD_PHONE_NUMBER_ID",
      question: "Id of the phone number",
      help: "In the app under WhatsApp, API Setup. It is not the number itself.",
      isSecret: false,
    },
    {
      name: "app_secret",
      variable: "WHATSAPP_CLOUD_APP_SECRET",
      question: "App secret",
      help: "In the app under App settings, Basic. It proves that calls come from Meta.",
      isSecret: true,
    },
    {
      name: "verify_token",
      variable: "WHATSAPP_CLOUD_VERIFY_TOKEN",
      question: "Verify token",
      help: "A secret you choose; enter the same one under WhatsApp, Configuration, Webhook.",
      isSecret: true,
    },
    {
      name: "allowed_users",
      variable: "WHATSAPP_ALLOWED_USERS",
      question: "Numbers that may use it (separated by commas)",
      help: "With country codes, digits only. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ whatsapp: { phone_number_id: identity } }) => ({ scope: "whatsapp-number", identity }),
  render: (markdown) => renderedTexts(markdown, { style: whatsappStyle, limit: maxLength, length: lengthIn("utf16") }),
  readTarget(text) {
    const [, chatId] = /^\+?(\d{6,15})$/u.exec(text) ?? [];
    return chatId === undefined ? undefined : { chatId };
  },
  async variantFor({ whatsapp: { backend } }) {
    return backend === "bridge" ? (await import("./bridge/index.ts")).whatsappBridge : whatsapp;
  },
  async connect(ports, signal) {
    const { connectWhatsApp } = await import("./connection.ts");
    return await connectWhatsApp(ports, signal);
  },
};
