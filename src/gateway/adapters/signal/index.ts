import type { Platform } from "../../platform/platform.ts";
import { filesUpTo, plainCapabilities } from "../support/plain-platform.ts";
import { plainTexts } from "../support/plain-text.ts";

const maxLength = 8000;
const largestFile = 100 * 1024 * 1024;

export const signal: Platform = {
  id: "signal",
  label: "Signal",
  envPrefix: "SIGNAL",
  capabilities: plainCapabilities({
    maxLength,
    lengthUnit: "utf16",
    canType: true,
    canReact: true,
    media: filesUpTo(largestFile),
    rate: { account: 5, chat: 1 },
  }),
  credentials: [
    {
      name: "http_url",
      variable: "SIGNAL_HTTP_URL",
      question: "Address of the signal-cli daemon",
      help: "Start it with: signal-cli daemon --http 127.0.0.1:8080 --receive-mode on-connection. Then the address is http://127.0.0.1:8080",
      isSecret: false,
    },
    {
      name: "account",
      variable: "SIGNAL_ACCOUNT",
      question: "Own number, with its country code (+49…)",
      help: "The number that was linked or registered with signal-cli.",
      isSecret: false,
    },
    {
      name: "allowed_users",
      variable: "SIGNAL_ALLOWED_USERS",
      question: "Numbers or UUIDs that may use it (separated by commas)",
      help: "Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ signal: { account } }) => ({ scope: "signal-phone", identity: account }),
  render: (markdown) => plainTexts(markdown, maxLength),
  readTarget: (text) =>
    /^(?:\+\d{6,}|group:[\w+/=-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/iu.test(text)
      ? { chatId: text }
      : undefined,
  async connect(ports, signalToStop) {
    const { connectSignal } = await import("./connection.ts");
    return await connectSignal(ports, signalToStop);
  },
};
