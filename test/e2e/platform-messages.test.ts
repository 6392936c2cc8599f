import { expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { freePort } from "../fakes/free-port.ts";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { startWecomServer } from "../fakes/platforms/wecom-server.ts";
import { startWhatsAppServer } from "../fakes/platforms/whatsapp-server.ts";
import { Deployment } from "./support/deployment.ts";

const limit = { timeout: 60_000 };

async function gateway(scope: Scope, platform: string, settings: object, env: Readonly<Record<string, string>>) {
  const model = scope.adopt(await startModelServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `${platform}: ${JSON.stringify({ ...settings, allow_all_users: true })}`,
    "auxiliary: { title_generation: { enabled: false } }",
    `stt: { local: { command: [${JSON.stringify(process.execPath)}, "-e", "process.stdout.write('please call me back')"] } }`,
  ];
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  const deployment = scope.adopt(new Deployment({ config, env: lines.join("") }));
  const member = await deployment.start();
  await member.ready(platform);
  return model;
}

it("WhatsApp: a message that Meta delivers three times is one turn, and a voice is read as words [40:A-WC-3] [40:A-WC-4]", {
  timeout: 180_000,
}, async () => {
  await using scope = new Scope();
  const port = await freePort();
  const server = scope.adopt(await startWhatsAppServer(`http://127.0.0.1:${port}/whatsapp/webhook`));
  const model = await gateway(
    scope,
    "whatsapp",
    { base_url: server.url },
    {
      WHATSAPP_CLOUD_ACCESS_TOKEN: server.token,
      WHATSAPP_CLOUD_PHONE_NUMBER_ID: server.numberId,
      WHATSAPP_CLOUD_APP_SECRET: server.secret,
      WHATSAPP_CLOUD_VERIFY_TOKEN: "verify-me-0001",
      WHATSAPP_CLOUD_WEBHOOK_PORT: String(port),
    },
  );
  const shown = () => server.sent().map(({ text }) => (text as { body?: string } | undefined)?.body);
  model.script(says("Hello."), says("I will."));
  server.message({ type: "text", text: { body: "hi" } });
  server.repeat();
  server.repeat();
  await expect.poll(shown, limit).toEqual(["Hello."]);
  const audio = { id: server.file(Buffer.from("OggS some sound")), mime_type: "audio/ogg; codecs=opus", voice: true };
  server.message({ type: "audio", audio });
  await expect.poll(shown, limit).toEqual(["Hello.", "I will."]);
  expect(model.requests.length).toBe(2);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("please call me back");
});

it("WeCom: a message that is delivered twice is one turn [40:A-WK-4]", { timeout: 180_000 }, async () => {
  await using scope = new Scope();
  const port = await freePort();
  const server = scope.adopt(await startWecomServer(`http://127.0.0.1:${port}/wecom/callback`));
  const [app] = server.apps;
  const model = await gateway(
    scope,
    "wecom_callback",
    { base_url: server.url },
    {
      WECOM_CALLBACK_CORP_ID: app.corpId,
      WECOM_CALLBACK_CORP_SECRET: app.corpSecret,
      WECOM_CALLBACK_AGENT_ID: "1000002",
      WECOM_CALLBACK_TOKEN: app.token,
      WECOM_CALLBACK_ENCODING_AES_KEY: app.encodingKey,
      WECOM_CALLBACK_HOST: "127.0.0.1",
      WECOM_CALLBACK_PORT: String(port),
    },
  );
  model.script(says("Once."), says("Next."));
  server.message("hi");
  server.repeat();
  await expect.poll(() => server.shown(), limit).toEqual(["Once."]);
  server.message("more");
  await expect.poll(() => server.shown(), limit).toEqual(["Once.", "Next."]);
  expect(model.requests.length).toBe(2);
});
