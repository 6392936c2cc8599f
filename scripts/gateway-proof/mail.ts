import { mailPassword, missingMailServers, startMailServers } from "../../test/fakes/mail/mail-servers.ts";
import { headerIn, readIn, startSmtpFront, startTcpFront } from "../../test/fakes/mail/smtp-front.ts";
import type { Crowd } from "./crowd.ts";
import { crowdOf } from "./services.ts";

const own = "hermes@mail.test";

/** People who write letters, through a real Dovecot and a real Postfix. */
export async function startMail(): Promise<Crowd> {
  const missing = missingMailServers();
  if (missing !== undefined) throw new Error(missing);
  const servers = await startMailServers();
  const [smtp, imap] = [await startSmtpFront(servers.smtpPort), await startTcpFront(servers.imapPort)];
  let delivered = Promise.resolve();
  let count = 0;
  let last = { from: "", to: own, subject: "", text: "", messageId: "" };
  const deliver = (letter: typeof last): void => {
    delivered = delivered.then(() => servers.deliver(letter));
  };
  return crowdOf("email", {
    server: {
      repeat: () => deliver(last),
      nextSend: smtp.nextSend,
      async [Symbol.asyncDispose]() {
        await delivered.catch(() => undefined);
        await smtp[Symbol.asyncDispose]();
        await imap[Symbol.asyncDispose]();
        await servers[Symbol.asyncDispose]();
      },
    },
    env: {
      EMAIL_ADDRESS: own,
      EMAIL_PASSWORD: mailPassword,
      EMAIL_IMAP_HOST: "127.0.0.1",
      EMAIL_IMAP_PORT: String(imap.port),
      EMAIL_SMTP_HOST: "127.0.0.1",
      EMAIL_SMTP_PORT: String(smtp.port),
    },
    chatId: (chat) => `person${chat}@mail.test`,
    say(from, text) {
      count += 1;
      last = { ...last, from, text, messageId: `<${count}.proof@elsewhere.test>` };
      deliver(last);
    },
    shown() {
      // Servers and mail programs show what has the same Message-ID once.
      const byId = new Map(smtp.accepted.map((mail) => [headerIn(mail, "Message-ID"), mail]));
      return [...byId.values()].map((mail) => ({
        chat: /[^\s<>]+@[^\s<>]+/u.exec(headerIn(mail, "To"))?.[0] ?? "",
        text: readIn(mail),
      }));
    },
    breakConnection: () => imap.drop(),
  });
}
