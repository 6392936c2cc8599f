import type { InboundMessage } from "../../platform/inbound.ts";
import { type Headers, header, messageIds } from "./headers.ts";
import type { MailFile } from "./structure.ts";

/** A mail as it stands in the mailbox. */
export interface Mail {
  readonly uidValidity: string;
  readonly uid: number;
  /** In small letters. */
  readonly from: string;
  readonly fromName?: string | undefined;
  readonly subject: string;
  readonly atMs: number;
  readonly headers: Headers;
  readonly words: string;
  readonly files: readonly MailFile[];
}

export interface MailRules {
  /** Our own address, in small letters. */
  readonly own: string;
  readonly sessionBy: "sender" | "thread";
  readonly skipsFiles: boolean;
}

/** What an answer refers to. */
export interface ThreadHead {
  readonly messageId: string;
  readonly references: readonly string[];
  readonly subject: string;
}

export function headOf({ headers, subject }: Pick<Mail, "headers" | "subject">): ThreadHead | undefined {
  const [messageId] = messageIds(header(headers, "message-id"));
  return messageId === undefined ? undefined : { messageId, references: referencesOf(headers), subject };
}

export function readMail(mail: Mail, { own, sessionBy, skipsFiles }: MailRules): InboundMessage {
  const { uid, uidValidity, from, subject, headers } = mail;
  const [messageId] = messageIds(header(headers, "message-id"));
  const references = referencesOf(headers);
  const words = withoutQuotedAnswer(mail.words, references).trim();
  const isReply = /^re\s*:/iu.test(subject);
  // A command is one only when it stands first.
  const hasTitle = subject !== "" && !isReply && !words.startsWith("/");
  return {
    source: {
      platform: "email",
      account: own,
      chatId: from,
      chatType: "dm",
      chatName: mail.fromName ?? from,
      userId: from,
      userName: mail.fromName ?? from,
      threadId: sessionBy === "thread" ? (references[0] ?? messageId) : undefined,
    },
    text: hasTitle ? `[Subject: ${subject}]\n${words}`.trim() : words,
    messageId,
    // Whoever copies somebody else's Message-ID has another address.
    dedupKey: `email:${own}:${messageId === undefined ? `${uidValidity}:${uid}` : `${from}:${messageId}`}`,
    atMs: mail.atMs,
    attachments: skipsFiles
      ? []
      : mail.files.map(({ part, ...file }) => ({ ...file, ref: { uidValidity, uid: String(uid), part } })),
  };
}

function referencesOf(headers: Headers): readonly string[] {
  const listed = messageIds(header(headers, "references"));
  return listed.length > 0 ? listed : messageIds(header(headers, "in-reply-to")).slice(0, 1);
}

/** Mail programs put the mail that is answered below the answer; our own words are known already. */
function withoutQuotedAnswer(words: string, references: readonly string[]): string {
  if (!references.some((id) => id.startsWith("<hermes-"))) return words;
  const lines = words.replaceAll("\r\n", "\n").trimEnd().split("\n");
  let end = lines.length;
  while (end > 0 && /^(?:>.*|\s*)$/u.test(lines[end - 1] ?? "")) end -= 1;
  if (end === lines.length) return words;
  if (/:\s*$/u.test(lines[end - 1] ?? "")) end -= 1;
  const kept = lines.slice(0, end).join("\n").trim();
  return kept === "" ? words : kept;
}
