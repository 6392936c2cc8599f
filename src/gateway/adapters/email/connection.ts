import type { ImapFlow } from "imapflow";
import { isLoopback } from "#foundation/http/local-host";
import type { Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import type { Connection, ConnectionPorts, SendContext } from "../../platform/platform.ts";
import { openLine } from "../support/line.ts";
import { connectionErrorOf, failureOf, missingSetting, type Service } from "../support/service-error.ts";
import { compose } from "./compose.ts";
import { Mailbox } from "./mailbox.ts";
import { checkSmtp, type SmtpAccount, sendMail } from "./smtp.ts";

const service: Service = { id: "email", label: "The mail server" };
const waitsMs = [2_000, 5_000, 15_000, 30_000, 60_000];
/** A look is a proof of life; without one for a minute the connection counts as deaf. */
const longestPauseMs = 30_000;
const secureFromTheStart = 993;

/** Reads a mailbox over IMAP and answers over SMTP. */
export async function connectEmail(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { email, platforms } = ports.config;
  const own = email.address.trim().toLowerCase();
  const password = platforms["email"]?.token.reveal() ?? "";
  if (own === "") throw missingSetting(service, "EMAIL_ADDRESS");
  if (password === "") throw missingSetting(service, "EMAIL_PASSWORD");
  if (email.imap_host === "") throw missingSetting(service, "EMAIL_IMAP_HOST");
  if (email.smtp_host === "") throw missingSetting(service, "EMAIL_SMTP_HOST");
  const smtp: SmtpAccount = { host: email.smtp_host, port: email.smtp_port, own, password };
  const mailbox = new Mailbox({
    ports,
    rules: { own, sessionBy: email.session_by, skipsFiles: email.skip_attachments },
    lookEveryMs: Math.min(email.poll_interval * 1000, longestPauseMs),
    client: () => imapClient({ host: email.imap_host, port: email.imap_port, own, password }),
  });
  const line = openLine({ service, ports, waitsMs, stay: (ready, within) => mailbox.stay(ready, within) });
  try {
    await line.ready;
    await checkSmtp(smtp, signal);
  } catch (error) {
    await line[Symbol.asyncDispose]();
    throw connectionErrorOf(service, error);
  }
  ports.logger.info("connected", { platform: service.id, address: own });
  return {
    account: { id: own, name: own },
    lost: line.lost,
    send: (to, message, context) => send(to, message, { ...context, mailbox, smtp }),
    fetchAttachment: ({ ref }) => mailbox.file(ref),
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

async function imapClient({ host, port, own, password }: SmtpAccount): Promise<ImapFlow> {
  const { ImapFlow: Client } = await import("imapflow");
  const isSecure = port === secureFromTheStart;
  const isHere = isLoopback(host);
  return new Client({
    host,
    port,
    secure: isSecure,
    // Elsewhere nothing is said in the clear; on this machine encryption is used where the server has it.
    ...(isSecure || isHere ? {} : { doSTARTTLS: true }),
    tls: { rejectUnauthorized: !isHere },
    auth: { user: own, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: 15_000,
    greetingTimeout: 15_000,
  });
}

async function send(
  { chatId, threadId }: Destination,
  message: Outbound,
  { mailbox, smtp, key, signal }: SendContext & { readonly mailbox: Mailbox; readonly smtp: SmtpAccount },
): Promise<SendResult> {
  if (message.kind === "edit")
    return { kind: "failed", errorClass: "unknown", message: "a mail cannot be changed when it is sent" };
  try {
    const head = await mailbox.head({ chatId, threadId }, message.replyTo);
    return await sendMail(smtp, compose({ own: smtp.own, to: chatId, key, message, head }), signal);
  } catch (error) {
    return failureOf(error);
  }
}
