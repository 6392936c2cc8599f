import type { Platform } from "../../platform/platform.ts";
import { lengthIn, splitText } from "../../text/split.ts";
import { filesUpTo, plainCapabilities } from "../support/plain-platform.ts";

const maxLength = 4000;
const largestFile = 100 * 1024 * 1024;

export const mattermost: Platform = {
  id: "mattermost",
  label: "Mattermost",
  envPrefix: "MATTERMOST",
  sendsAlone: true,
  capabilities: plainCapabilities({
    maxLength,
    canEdit: true,
    canType: true,
    canReact: true,
    // Buttons call an address of ours, which a server elsewhere cannot reach.
    hasButtons: false,
    hasThreads: true,
    media: filesUpTo(largestFile),
    settlesSends: "look-back",
    tier: "medium",
    rate: { account: 10, chat: 2 },
  }),
  credentials: [
    {
      name: "url",
      variable: "MATTERMOST_URL",
      question: "Address of the server",
      help: "As in the browser, without a team: https://chat.example.com",
      isSecret: false,
    },
    {
      name: "token",
      variable: "MATTERMOST_TOKEN",
      question: "Token of the bot",
      help: "In Mattermost: Integrations, Bot Accounts, Add Bot Account; copy the token. Add the bot to its team and channels.",
      isSecret: true,
    },
    {
      name: "allowed_users",
      variable: "MATTERMOST_ALLOWED_USERS",
      question: "User ids that may use it (separated by commas)",
      help: "An id is shown in a person's profile under System Console, Users. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ platforms }) => ({ scope: "mattermost-token", identity: platforms["mattermost"]?.token.reveal() ?? "" }),
  // Mattermost reads Markdown itself, but shows pictures of other servers only as their addresses.
  render: (markdown) =>
    splitText(withBareImages(markdown), { limit: maxLength, measure: lengthIn("codepoints") }).map((text) => ({
      text,
      plain: text,
    })),
  readTarget(text) {
    const [, chatId, threadId] = /^([a-z0-9]{26})(?::([a-z0-9]{26}))?$/u.exec(text) ?? [];
    return chatId === undefined ? undefined : { chatId, threadId };
  },
  async connect(ports, signal) {
    const { connectMattermost } = await import("./connection.ts");
    return await connectMattermost(ports, signal);
  },
};

const code = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/u;

function withBareImages(markdown: string): string {
  return markdown
    .split(code)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/!\[[^\]\n]*\]\(([^\s)]+)[^)\n]*\)/gu, "$1")))
    .join("");
}
