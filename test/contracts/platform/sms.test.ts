import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { freePort } from "../../fakes/free-port.ts";
import { startTwilioServer } from "../../fakes/platforms/twilio-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("sms");

async function startKit() {
  const port = await freePort();
  const address = "https://example.com/webhooks/twilio";
  const server = await startTwilioServer({ local: `http://127.0.0.1:${port}/webhooks/twilio`, address, pageSize: 2 });
  const env = {
    TWILIO_ACCOUNT_SID: server.sid,
    TWILIO_AUTH_TOKEN: server.token,
    TWILIO_PHONE_NUMBER: server.number,
    SMS_WEBHOOK_URL: address,
  };
  return {
    env,
    wrongEnv: { ...env, TWILIO_AUTH_TOKEN: "wrong" },
    settings: { "sms.base_url": server.url, "sms.webhook_host": "127.0.0.1", "sms.webhook_port": port },
    chatId: "+15551112222",
    server,
    say: (Body: string) => server.message({ Body }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer) => {
      const url = `${server.url}/2010-04-01/Media/${server.file(bytes)}`;
      server.message({ Body: "", NumMedia: "1", MediaUrl0: url, MediaContentType0: "application/pdf" });
    },
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

it("asks for what was written while nobody listened, oldest first, with its pictures, and for nothing older", async () => {
  await using kit = await startKit();
  kit.server.message({ Body: "before the first start" }, new Date(Date.now() - 60_000));
  await kit.server.quiet();
  const first = await connectedTo(platform, kit);
  expect(first.ports.admitted).toEqual([]);
  await first[Symbol.asyncDispose]();
  for (const word of ["one", "two", "three"]) kit.say(word);
  kit.sendFile(Buffer.from("%PDF-1.7"));
  // Twilio has given up calling.
  await kit.server.quiet();
  await using second = await connectedTo(platform, kit, first.ports.positions);
  expect(second.ports.admitted.map(({ text }) => text)).toEqual(["one", "two", "three", ""]);
  const [file] = second.ports.admitted[3]?.attachments ?? [];
  const chunks: Uint8Array[] = [];
  if (file !== undefined)
    for await (const chunk of (await second.connection.fetchAttachment?.(file, never)) ?? []) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe("%PDF-1.7");
});

it("asks page after page until it has all that was written, however long nobody listened", async () => {
  await using kit = await startKit();
  const first = await connectedTo(platform, kit);
  await first[Symbol.asyncDispose]();
  const words = Array.from({ length: 61 }, (_, index) => `message ${index}`);
  for (const word of words) kit.say(word);
  await kit.server.quiet();
  await using second = await connectedTo(platform, kit, first.ports.positions);
  expect(second.ports.admitted.map(({ text }) => text)).toEqual(words);
});

// What the suite shows of every platform: [40:EVT-1] [40:EVT-2] [40:EVT-4] [40:EVT-10] [40:EVT-26] [40:ADP-3].
describePlatform(platform, startKit);

it("does not start where calls could not be checked, unless that is wished for and nobody else can call [40:A-SM-2]", async () => {
  await using kit = await startKit();
  const env = { ...kit.env, SMS_WEBHOOK_URL: "" };
  const refused = { name: "ConnectionError", isRetryable: false };
  await expect(connectedTo(platform, { ...kit, env })).rejects.toMatchObject(refused);
  const unchecked = { ...env, SMS_INSECURE_NO_SIGNATURE: "true" };
  const open = { ...kit.settings, "sms.webhook_host": "0.0.0.0" };
  await expect(connectedTo(platform, { env: unchecked, settings: open })).rejects.toMatchObject(refused);
  await using at = await connectedTo(platform, { env: unchecked, settings: kit.settings });
  kit.say("hello");
  await expect.poll(() => at.ports.admitted.map(({ text }) => text)).toEqual(["hello"]);
});
