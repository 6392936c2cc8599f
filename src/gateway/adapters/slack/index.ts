import type { CredentialField, Platform } from "../../platform/platform.ts";
import { renderedTexts } from "../../text/rendered.ts";
import { lengthIn } from "../../text/split.ts";
import { slackStyle } from "./markup.ts";

const gigabyte = 1024 ** 3;
/** Slack takes 40,000 characters; some room is left for what it adds. */
const maxLength = 39_000;

const botToken: CredentialField = {
  name: "token",
  variable: "SLACK_BOT_TOKEN",
  question: "Bot token (xoxb-…)",
  help: "`hermes slack manifest` prints an app. At api.slack.com/apps: Create New App, From a manifest, paste it, install it, and copy the bot token under OAuth & Permissions.",
  isSecret: true,
};
const appToken: CredentialField = {
  name: "app_token",
  variable: "SLACK_APP_TOKEN",
  question: "App token (xapp-…)",
  help: "Under Basic Information, App-Level Tokens: create one with the scope connections:write, and switch Socket Mode on. Without Socket Mode, by calls to a public address of this machine: first `hermes config set slack.connection_mode webhook`.",
  isSecret: true,
};
const signingSecret: CredentialField = {
  name: "signing_secret",
  variable: "SLACK_SIGNING_SECRET",
  question: "Signing secret",
  help: "Under Basic Information, App Credentials. It proves that calls come from Slack.",
  isSecret: true,
};
const allowedUsers: CredentialField = {
  name: "allowed_users",
  variable: "SLACK_ALLOWED_USERS",
  question: "Member ids that may use it (separated by commas)",
  help: "In Slack: a person's profile, the menu with three dots, Copy member ID.",
  isSecret: false,
  isOptional: true,
};

export const slack: Platform = {
  id: "slack",
  label: "Slack",
  envPrefix: "SLACK",
  sendsAlone: true,
  capabilities: {
    maxLength,
    lengthUnit: "codepoints",
    canEdit: true,
    needsFinalEdit: false,
    canType: true,
    canReact: true,
    hasButtons: true,
    hasThreads: true,
    media: {
      image: gigabyte,
      animation: gigabyte,
      video: gigabyte,
      audio: gigabyte,
      voice: gigabyte,
      document: gigabyte,
    },
    settlesSends: "look-back",
    tier: "medium",
    rate: { account: 20, chat: 1 },
  },
  credentials: [botToken, appToken, allowedUsers],
  lock: ({ slack: { app_token: token } }) => ({ scope: "slack-app-token", identity: token.reveal() }),
  render: (markdown) =>
    renderedTexts(markdown, { style: slackStyle, limit: maxLength, length: lengthIn("codepoints") }),
  readTarget(text) {
    const [, chatId, threadId] = /^([CDGU][A-Z0-9]{8,})(?::(\d+\.\d+))?$/u.exec(text) ?? [];
    return chatId === undefined ? undefined : { chatId, threadId };
  },
  variantFor: async ({ slack: { connection_mode: mode } }) =>
    await Promise.resolve(mode === "webhook" ? slackOverCalls : slack),
  async whoami(ports, signal) {
    const { slackBot } = await import("./connection.ts");
    return (await slackBot(ports, signal)).name;
  },
  async connect(ports, signal) {
    const { connectSlack } = await import("./connection.ts");
    return await connectSlack(ports, signal);
  },
};

/** Slack calls a public address of this machine; no socket is opened. */
const slackOverCalls: Platform = {
  ...slack,
  credentials: [
    {
      ...botToken,
      help: "`hermes slack manifest --url <public address>` prints an app. At api.slack.com/apps: Create New App, From a manifest, paste it, install it, and copy the bot token under OAuth & Permissions.",
    },
    signingSecret,
    allowedUsers,
  ],
  lock: ({ slack: { signing_secret: secret } }) => ({ scope: "slack-signing-secret", identity: secret.reveal() }),
};
