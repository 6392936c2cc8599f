import type { RenderedText } from "../../platform/outbound.ts";
import type { Platform } from "../../platform/platform.ts";
import { htmlStyle } from "../../text/markup.ts";
import { renderedTexts } from "../../text/rendered.ts";
import { lengthIn } from "../../text/split.ts";
import { filesUpTo, plainCapabilities } from "../support/plain-platform.ts";
import { withLineBreaks } from "./html.ts";

const maxLength = 50_000;
/** A mail grows by a third when its files are written in letters; many servers take 25 MB. */
const largestFile = 18 * 1024 * 1024;

export const email: Platform = {
  id: "email",
  label: "E-mail",
  envPrefix: "EMAIL",
  capabilities: plainCapabilities({
    maxLength,
    hasThreads: true,
    media: filesUpTo(largestFile),
    // A mail that is sent again has the same Message-ID: servers and mail programs show it once.
    settlesSends: "key",
    tier: "minimal",
    rate: { account: 1, chat: 1 },
  }),
  credentials: [
    {
      name: "address",
      variable: "EMAIL_ADDRESS",
      question: "Address of the mailbox",
      help: "A separate mailbox: Hermes answers everything that arrives there.",
      isSecret: false,
    },
    {
      name: "token",
      variable: "EMAIL_PASSWORD",
      question: "Password",
      help: "Where the account has a second factor, make a password for this program (an app password).",
      isSecret: true,
    },
    {
      name: "imap_host",
      variable: "EMAIL_IMAP_HOST",
      question: "Server for incoming mail (IMAP)",
      help: "For example imap.example.com. Its port is 993 unless EMAIL_IMAP_PORT says otherwise.",
      isSecret: false,
    },
    {
      name: "smtp_host",
      variable: "EMAIL_SMTP_HOST",
      question: "Server for outgoing mail (SMTP)",
      help: "For example smtp.example.com. Its port is 587 unless EMAIL_SMTP_PORT says otherwise.",
      isSecret: false,
    },
    {
      name: "allowed_users",
      variable: "EMAIL_ALLOWED_USERS",
      question: "Addresses that may use it (separated by commas)",
      help: "A sender's address can be forged: see email.require_auth_results. Left empty, strangers get a pairing code that you approve.",
      isSecret: false,
      isOptional: true,
    },
  ],
  lock: ({ email: { address } }) => ({ scope: "email-address", identity: address.toLowerCase() }),
  render: (markdown) => renderedTexts(markdown, { style: htmlStyle, limit: maxLength, length }).map(finished),
  readTarget: (text) => (/^[^\s@:]+@[^\s@:]+\.[^\s@:]+$/u.test(text) ? { chatId: text.toLowerCase() } : undefined),
  async connect(ports, signal) {
    const { connectEmail } = await import("./connection.ts");
    return await connectEmail(ports, signal);
  },
};

function length(html: string): number {
  return lengthIn("codepoints")(withLineBreaks(html));
}

function finished({ text, plain }: RenderedText): RenderedText {
  return { text: withLineBreaks(text), plain };
}
