import type { Platform } from "../../platform/platform.ts";
import { renderedTexts } from "../../text/rendered.ts";
import { lengthIn } from "../../text/split.ts";
import { filesUpTo, plainCapabilities } from "../support/plain-platform.ts";
import { matrixStyle, withBreaks } from "./markup.ts";

const maxLength = 4000;
const largestFile = 50 * 1024 * 1024;

export const matrix: Platform = {
  id: "matrix",
  label: "Matrix",
  envPrefix: "MATRIX",
  capabilities: plainCapabilities({
    maxLength,
    canEdit: true,
    canType: true,
    canReact: true,
    hasThreads: true,
    media: filesUpTo(largestFile),
    settlesSends: "key",
    tier: "medium",
    rate: { account: 5, chat: 1 },
  }),
  credentials: [
    {
      name: "homeserver",
      variable: "MATRIX_HOMESERVER",
      question: "Address of the home server",
      help: "For example https://matrix.example.org",
      isSecret: false,
    },
    {
      name: "token",
      variable: "MATRIX_ACCESS_TOKEN",
      question: "Access token of the bot's account",
      help: "In Element, logged in as the bot: All settings, Help & About, Access Token. (Or set MATRIX_USER_ID and MATRIX_PASSWORD.)",
      isSecret: true,
    },
    {
      name: "allowed_users",
      variable: "MATRIX_ALLOWED_USERS",
      question: "Users that may use it (separated by commas)",
      help: "Full ids: @alice:example.org. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ platforms, matrix: { homeserver, user_id: userId } }) => ({
    scope: "matrix-device",
    identity: platforms["matrix"]?.token.reveal() || `${homeserver}:${userId}`,
  }),
  render: (markdown) =>
    renderedTexts(markdown, { style: matrixStyle, limit: maxLength, length: lengthIn("codepoints") }).map(
      ({ text, plain }) => ({ text: withBreaks(text), plain }),
    ),
  readTarget(text) {
    const [, chatId, threadId] = /^(![^:\s]+(?::[^:\s]+(?::\d+)?)?)(?::(\$\S+))?$/u.exec(text) ?? [];
    return chatId === undefined ? undefined : { chatId, threadId };
  },
  async connect(ports, signal) {
    const { connectMatrix } = await import("./connection.ts");
    return await connectMatrix(ports, signal);
  },
};
