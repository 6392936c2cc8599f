import { Readable } from "node:stream";
import { isLoopback } from "#foundation/http/local-host";
import type { SendErrorClass, SendResult } from "../../platform/outbound.ts";
import { ServiceError } from "../support/service-error.ts";
import type { Composed } from "./compose.ts";

export interface SmtpAccount {
  readonly host: string;
  readonly port: number;
  readonly own: string;
  readonly password: string;
}

/** Servers that do not know us yet, or hear too much of us, take nothing for a while. */
const greylistedMs = 60_000;
/** The mail system itself has trouble (RFC 3463): it may be over in a moment. */
const systemTrouble = /\b4\.[34]\.\d/u;
const secureFromTheStart = 465;

/** Sends one mail, over a connection of its own. */
export async function sendMail(account: SmtpAccount, mail: Composed, signal: AbortSignal): Promise<SendResult> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  let hasLeft = false;
  /** Read when the server has asked for the mail, and not before. */
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of new MailComposer(mail).compile().createReadStream()) {
      hasLeft = true;
      yield chunk as Uint8Array;
    }
  }
  try {
    await withServer(account, signal, (server) =>
      called((done) => server.send({ from: account.own, to: [mail.to.address] }, Readable.from(bytes()), done)),
    );
    return { kind: "sent", messageId: mail.messageId };
  } catch (error) {
    const refused = refusalOf(error);
    if (refused !== undefined) return { kind: "failed", ...refused };
    const message = error instanceof Error ? error.message : "no answer";
    return { kind: "failed", errorClass: hasLeft ? "timeout" : "network", message };
  }
}

/** Signs in and leaves again. */
export async function checkSmtp(account: SmtpAccount, signal: AbortSignal): Promise<void> {
  try {
    await withServer(account, signal, () => Promise.resolve());
  } catch (error) {
    const refused = refusalOf(error);
    throw refused === undefined ? error : new ServiceError(refused);
  }
}

type SmtpConnection = InstanceType<typeof import("nodemailer/lib/smtp-connection")["default"]>;

async function withServer(
  { host, port, own, password }: SmtpAccount,
  signal: AbortSignal,
  use: (server: SmtpConnection) => Promise<unknown>,
): Promise<void> {
  const { default: SMTPConnection } = await import("nodemailer/lib/smtp-connection");
  const isSecure = port === secureFromTheStart;
  const isHere = isLoopback(host);
  const server = new SMTPConnection({
    host,
    port,
    secure: isSecure,
    requireTLS: !isSecure && !isHere,
    tls: { rejectUnauthorized: !isHere },
    connectionTimeout: 15_000,
    greetingTimeout: 15_000,
    socketTimeout: 60_000,
  });
  const ended = new Promise<never>((_resolve, reject) => {
    server.once("error", reject);
    server.once("end", () => reject(new Error("the mail server ended the connection")));
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  ended.catch(() => undefined);
  try {
    signal.throwIfAborted();
    await Promise.race([ended, called((done) => server.connect(done))]);
    await Promise.race([ended, called((done) => server.login({ user: own, pass: password }, done))]);
    await Promise.race([ended, use(server)]);
    server.quit();
  } finally {
    server.close();
  }
}

function called(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error === undefined || error === null ? resolve() : reject(error)));
  });
}

interface Refused {
  readonly errorClass: SendErrorClass;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
}

/** What a server's no means; undefined when it said nothing. */
function refusalOf(error: unknown): Refused | undefined {
  if (!(error instanceof Error)) return undefined;
  const { responseCode: status, command = "", code } = error as Error & Readonly<Record<string, unknown>>;
  if (typeof status !== "number") return code === "EAUTH" ? { errorClass: "auth", message: error.message } : undefined;
  const { message } = error;
  if (status < 500 && systemTrouble.test(message)) return { errorClass: "network", message };
  if (status < 500) return { errorClass: "rate-limited", message, retryAfterMs: greylistedMs };
  if (code === "EAUTH" || status === 530 || status === 535) return { errorClass: "auth", message };
  if (status === 552 || status === 523) return { errorClass: "too-large", message };
  if (command === "RCPT TO") return { errorClass: "not-found", message };
  return { errorClass: command === "DATA" ? "format" : "permission", message };
}
