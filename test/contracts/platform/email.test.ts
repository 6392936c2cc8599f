import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ImapFlow } from "imapflow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { type MailServers, mailPassword, missingMailServers, startMailServers } from "../../fakes/mail/mail-servers.ts";
import { headerIn, readIn, startSmtpFront, startTcpFront } from "../../fakes/mail/smtp-front.ts";
import { connectedTo, describePlatform, type PlatformKit } from "./suite.ts";

const missing = missingMailServers();
if (missing !== undefined) process.stderr.write(`e-mail is not tried against real servers: ${missing}\n`);
const email = await loadPlatform("email");

let servers: MailServers;
let people = 0;

/** Every test has a mailbox of its own on the one pair of servers. */
async function startKit() {
  people += 1;
  const own = `hermes-${people}@mail.test`;
  const alice = `alice-${people}@mail.test`;
  const smtp = await startSmtpFront(servers.smtpPort);
  const imap = await startTcpFront(servers.imapPort);
  const env = {
    EMAIL_ADDRESS: own,
    EMAIL_PASSWORD: mailPassword,
    EMAIL_IMAP_HOST: "127.0.0.1",
    EMAIL_IMAP_PORT: String(imap.port),
    EMAIL_SMTP_HOST: "127.0.0.1",
    EMAIL_SMTP_PORT: String(smtp.port),
  };
  let delivered = Promise.resolve();
  let last = { from: `Alice <${alice}>`, to: own, subject: "", text: "", messageId: "" };
  let count = 0;
  const deliver = (letter: Parameters<MailServers["deliver"]>[0]) => {
    delivered = delivered.then(() => servers.deliver(letter));
  };
  const kit = {
    env,
    wrongEnv: { ...env, EMAIL_PASSWORD: "wrong" },
    settings: {},
    chatId: alice,
    say(text) {
      count += 1;
      last = { ...last, text, messageId: `<${count}.${people}@elsewhere.test>` };
      deliver(last);
    },
    repeat: () => deliver(last),
    sendFile: (content, filename) => deliver({ ...last, attachments: [{ filename, content }] }),
    // Servers and mail programs show what has the same Message-ID once.
    shown: () => [...new Map(smtp.accepted.map((mail) => [headerIn(mail, "Message-ID"), readIn(mail)])).values()],
    nextSend: smtp.nextSend,
    sends: smtp.sends,
    deliversAgain: true,
    breakConnection: imap.drop,
    async [Symbol.asyncDispose]() {
      await delivered;
      await smtp[Symbol.asyncDispose]();
      await imap[Symbol.asyncDispose]();
    },
  } satisfies PlatformKit;
  return { ...kit, own, alice, smtp };
}

describe.skipIf(missing !== undefined)("against a real Dovecot and a real Postfix", { timeout: 60_000 }, () => {
  beforeAll(async () => {
    servers = await startMailServers();
  }, 60_000);
  afterAll(async () => {
    await servers[Symbol.asyncDispose]();
  });

  describePlatform(email, startKit);

  it("answers in the thread, once with Re:, and says that a program wrote it [40:A-EM-1]", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(email, kit);
    await servers.deliver({ from: kit.alice, to: kit.own, subject: "Hi", text: "Help", messageId: "<q1@e.test>" });
    await expect.poll(() => at.ports.admitted.length, { timeout: 15_000 }).toBe(1);
    expect(at.ports.admitted[0]?.text).toBe("[Subject: Hi]\nHelp");
    const to = { platform: "email", account: kit.own, chatId: kit.alice };
    const [body = { text: "", plain: "" }] = email?.render("**Sure.**\n\n- one\n- two") ?? [];
    const message = { kind: "text", body, replyTo: "<q1@e.test>" } as const;
    expect(await at.connection.send(to, message, { key: "k", signal: never })).toMatchObject({ kind: "sent" });
    const [mail = ""] = kit.smtp.accepted;
    expect(headerIn(mail, "Subject")).toBe("Re: Hi");
    expect(headerIn(mail, "In-Reply-To")).toBe("<q1@e.test>");
    expect(headerIn(mail, "References")).toBe("<q1@e.test>");
    expect(headerIn(mail, "Auto-Submitted")).toBe("auto-replied");
    expect(mail).toContain("<strong>Sure.</strong><br>");
    expect(mail).toContain("text/plain");
  });

  it("finds the thread in the mailbox after a restart", async () => {
    await using kit = await startKit();
    await servers.deliver({
      from: kit.alice,
      to: kit.own,
      subject: "Re: Plans",
      text: "And?",
      messageId: "<q2@e.test>",
      references: ["<q0@e.test>", "<q1@e.test>"],
    });
    await using at = await connectedTo(email, kit);
    const to = { platform: "email", account: kit.own, chatId: kit.alice };
    const message = { kind: "text", body: { text: "x", plain: "x" } } as const;
    await at.connection.send(to, message, { key: "k", signal: never });
    const [mail = ""] = kit.smtp.accepted;
    expect(headerIn(mail, "Subject")).toBe("Re: Plans");
    expect(headerIn(mail, "References")).toBe("<q0@e.test> <q1@e.test> <q2@e.test>");
    // What lay there before the very first start is not answered.
    expect(at.ports.admitted).toEqual([]);
  });

  it("does not answer programs, and reads HTML without its scripts [40:A-EM-2] [40:A-EM-5]", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(email, kit);
    const letter = { from: kit.alice, to: kit.own };
    await servers.deliver({ ...letter, text: "I am away", headers: { "Auto-Submitted": "auto-replied" } });
    await servers.deliver({ ...letter, from: "no-reply@mail.test", text: "Your parcel" });
    await servers.deliver({ ...letter, from: kit.own, text: "an echo" });
    const html =
      "<html><head><style>p{}</style></head><body><script>steal()</script><p>Hello <b>you</b></p></body></html>";
    await servers.deliver({ ...letter, html });
    await expect.poll(() => at.ports.admitted.length, { timeout: 15_000 }).toBe(1);
    expect(at.ports.admitted[0]?.text).toBe("Hello **you**");
  });

  it("answers what came while it was down, even when nothing had come before [40:A-EM-3]", async () => {
    await using kit = await startKit();
    const first = await connectedTo(email, kit);
    const { positions } = first.ports;
    await first[Symbol.asyncDispose]();
    await servers.deliver({ from: kit.alice, to: kit.own, text: "anybody?" });
    await using second = await connectedTo(email, kit, positions);
    await expect.poll(() => second.ports.admitted.map(({ text }) => text), { timeout: 15_000 }).toEqual(["anybody?"]);
  });

  it("sends a mail that may have left again under the same Message-ID [40:A-EM-4]", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(email, kit);
    const to = { platform: "email", account: kit.own, chatId: kit.alice };
    const message = { kind: "text", body: { text: "x", plain: "x" } } as const;
    kit.nextSend("accept-then-cut");
    const cut = await at.connection.send(to, message, { key: "k", signal: never });
    expect(cut).toMatchObject({ kind: "failed", errorClass: "timeout" });
    expect(await at.connection.send(to, message, { key: "k", signal: never })).toMatchObject({ kind: "sent" });
    const ids = kit.smtp.accepted.map((mail) => headerIn(mail, "Message-ID"));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    kit.nextSend("rate-limited");
    const early = await at.connection.send(to, message, { key: "l", signal: never });
    expect(early).toMatchObject({ errorClass: "rate-limited", retryAfterMs: 60_000 });
  });

  it("a server that has trouble of its own is tried again soon, and not as one that wants us to wait", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(email, kit);
    const to = { platform: "email", account: kit.own, chatId: kit.alice };
    const message = { kind: "text", body: { text: "x", plain: "x" } } as const;
    kit.smtp.nextSend("server-error");
    const refused = await at.connection.send(to, message, { key: "m", signal: never });
    expect(refused).toMatchObject({ kind: "failed", errorClass: "network", message: expect.stringContaining("4.3.0") });
    expect(refused).not.toHaveProperty("retryAfterMs");
  });

  it("sends a file as an attachment, over encrypted connections [40:A-EM-6]", async () => {
    await using kit = await startKit();
    // Both servers offer STARTTLS there, with a certificate nobody has signed: on this machine that is enough.
    const direct = { EMAIL_IMAP_PORT: String(servers.imapPort), EMAIL_SMTP_PORT: String(servers.startTlsPort) };
    await using plain = await connectedTo(email, { settings: {}, env: { ...kit.env, ...direct } });
    const file = path.join(tmpdir(), `hermes-mail-${process.pid}.pdf`);
    await writeFile(file, "%PDF-1.7 text");
    const to = { platform: "email", account: kit.own, chatId: kit.alice };
    const message = { kind: "media", media: "document", file, name: "paper.pdf" } as const;
    expect(await plain.connection.send(to, message, { key: "f", signal: never })).toMatchObject({ kind: "sent" });
    await rm(file);
    const arrived = async () => JSON.stringify(await structuresOf(kit.alice));
    await expect.poll(arrived, { timeout: 15_000 }).toContain('"filename":"paper.pdf"');
  });
});

/** What the mails of a mailbox consist of, read over TLS. */
async function structuresOf(user: string): Promise<readonly unknown[]> {
  const client = new ImapFlow({
    host: "127.0.0.1",
    port: servers.imapsPort,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user, pass: mailPassword },
    logger: false,
  });
  await client.connect();
  try {
    await client.mailboxOpen("INBOX");
    return (await client.fetchAll("1:*", { bodyStructure: true })).map(({ bodyStructure }) => bodyStructure);
  } finally {
    client.close();
  }
}
