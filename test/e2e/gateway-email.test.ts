import { ImapFlow } from "imapflow";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { mailPassword, missingMailServers, startMailServers } from "../fakes/mail/mail-servers.ts";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { Stage } from "./support/stage.ts";

const missing = missingMailServers();
if (missing !== undefined) process.stderr.write(`the gateway is not tried with real mail servers: ${missing}\n`);

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

describe.skipIf(missing !== undefined)("hermes gateway run with a mailbox", { timeout: 120_000 }, () => {
  it("answers a mail in its thread, through Postfix and Dovecot [40:A-EM-1]", async () => {
    const scope = new Scope();
    scopes.push(scope);
    const servers = scope.adopt(await startMailServers());
    const model = scope.adopt(await startModelServer());
    const config = [
      `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
      'email: { address: hermes@mail.test, imap_host: 127.0.0.1, smtp_host: 127.0.0.1, allowed_users: ["Alice@mail.test"] }',
      "auxiliary: { title_generation: { enabled: false } }",
    ].join("\n");
    const env = [
      `EMAIL_PASSWORD=${mailPassword}`,
      `EMAIL_IMAP_PORT=${servers.imapPort}`,
      `EMAIL_SMTP_PORT=${servers.startTlsPort}`,
    ].join("\n");
    const home = scope.adopt(await Stage.open({ config, env: `${env}\n` }));
    model.script(says("The meeting is at **nine**."));
    home.start(["gateway", "run"]);
    // Mails from before its first start are not answered.
    const connected = async () => (await home.run(["gateway", "status"])).stdout;
    await expect.poll(connected, { timeout: 60_000, interval: 500 }).toMatch(/email.*connected/iu);
    const letter = { to: "hermes@mail.test", subject: "Tomorrow", text: "When do we meet?" };
    await servers.post({ ...letter, from: "mallory@mail.test", text: "Let me in" });
    await servers.post({ ...letter, from: "Alice <alice@mail.test>", messageId: "<ask@elsewhere.test>" });
    const answers = () => inboxOf("alice@mail.test", servers.imapsPort);
    await expect.poll(answers, { timeout: 60_000, interval: 500 }).toHaveLength(1);
    const [answer] = await answers();
    expect(answer?.envelope?.subject).toBe("Re: Tomorrow");
    expect(answer?.envelope?.inReplyTo).toBe("<ask@elsewhere.test>");
    expect(String(answer?.source)).toContain("The meeting is at <strong>nine</strong>.");
    expect(JSON.stringify(model.requests)).toContain("[Subject: Tomorrow]\\nWhen do we meet?");
    expect(JSON.stringify(model.requests)).not.toContain("Let me in");
  });
});

async function inboxOf(user: string, port: number) {
  const client = new ImapFlow({
    host: "127.0.0.1",
    port,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user, pass: mailPassword },
    logger: false,
  });
  await client.connect();
  try {
    await client.mailboxOpen("INBOX");
    return await client.fetchAll("1:*", { envelope: true, source: true });
  } finally {
    client.close();
  }
}
