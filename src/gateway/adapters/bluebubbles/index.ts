import type { Platform } from "../../platform/platform.ts";
import { filesUpTo, plainCapabilities } from "../support/plain-platform.ts";
import { plainTexts } from "../support/plain-text.ts";

const maxLength = 4000;
const largestFile = 100 * 1024 * 1024;

export const bluebubbles: Platform = {
  id: "bluebubbles",
  label: "iMessage (BlueBubbles)",
  envPrefix: "BLUEBUBBLES",
  capabilities: plainCapabilities({
    maxLength,
    lengthUnit: "utf16",
    canType: true,
    media: filesUpTo(largestFile),
    settlesSends: "key",
    rate: { account: 5, chat: 1 },
  }),
  credentials: [
    {
      name: "server_url",
      variable: "BLUEBUBBLES_SERVER_URL",
      question: "Address of the BlueBubbles server",
      help: "As its window shows it, for example http://192.168.1.10:1234",
      isSecret: false,
    },
    {
      name: "token",
      variable: "BLUEBUBBLES_PASSWORD",
      question: "Password of the server",
      help: "In the BlueBubbles app on the Mac: Settings, API & Webhooks.",
      isSecret: true,
    },
    {
      name: "allowed_users",
      variable: "BLUEBUBBLES_ALLOWED_USERS",
      question: "Numbers or addresses that may use it (separated by commas)",
      help: "As iMessage names them. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ bluebubbles: { server_url: identity } }) => ({ scope: "bluebubbles-server", identity }),
  // One bubble for each paragraph, as people write.
  render: (markdown) => plainTexts(markdown, maxLength).flatMap(({ plain }) => bubbles(plain)),
  readTarget: (text) =>
    /^(?:iMessage|SMS|any);[-+];\S+$/u.test(text) || /^\+\d{6,15}$/u.test(text) || /^\S+@\S+\.\S+$/u.test(text)
      ? { chatId: text }
      : undefined,
  async connect(ports, signal) {
    const { connectBlueBubbles } = await import("./connection.ts");
    return await connectBlueBubbles(ports, signal);
  },
};

function bubbles(text: string): readonly { readonly text: string; readonly plain: string }[] {
  const parts = text.split(/\n{2,}/u).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  return parts.map((part) => ({ text: part, plain: part }));
}
