import type { Platform } from "../../platform/platform.ts";
import { plainCapabilities } from "../support/plain-platform.ts";
import { plainTexts } from "../support/plain-text.ts";

/** Twilio cuts a message of this length into parts by itself, and refuses a longer one. */
const maxLength = 1600;

export const sms: Platform = {
  id: "sms",
  label: "SMS (Twilio)",
  envPrefix: "SMS",
  sendsAlone: true,
  capabilities: plainCapabilities({
    maxLength,
    lengthUnit: "utf16",
    // Twilio fetches files from a public address, which a machine at home does not have.
    media: {},
    tier: "minimal",
    rate: { account: 1, chat: 1 },
  }),
  credentials: [
    {
      name: "account_sid",
      variable: "TWILIO_ACCOUNT_SID",
      question: "Account SID (AC…)",
      help: "On the first page of console.twilio.com, under Account Info.",
      isSecret: false,
    },
    {
      name: "token",
      variable: "TWILIO_AUTH_TOKEN",
      question: "Auth token",
      help: "Beside the account SID. It signs Twilio's calls, too.",
      isSecret: true,
    },
    {
      name: "phone_number",
      variable: "TWILIO_PHONE_NUMBER",
      question: "Twilio number, with its country code (+1…)",
      help: "Under Phone Numbers, Active numbers.",
      isSecret: false,
    },
    {
      name: "webhook_url",
      variable: "SMS_WEBHOOK_URL",
      question: "Public address of /webhooks/twilio",
      help: "Where Twilio reaches this machine, exactly as entered under A message comes in: https://example.com/webhooks/twilio",
      isSecret: false,
    },
    {
      name: "allowed_users",
      variable: "SMS_ALLOWED_USERS",
      question: "Numbers that may use it (separated by commas)",
      help: "With country codes. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ sms: { account_sid: account, phone_number: number } }) => ({
    scope: "twilio-number",
    identity: `${account}:${number}`,
  }),
  render: (markdown) => plainTexts(markdown, maxLength),
  readTarget: (text) => (/^\+\d{6,15}$/u.test(text) ? { chatId: text } : undefined),
  async connect(ports, signal) {
    const { connectSms } = await import("./connection.ts");
    return await connectSms(ports, signal);
  },
};
