import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { freePort } from "../../fakes/free-port.ts";
import { blueBubblesChat, startBlueBubblesServer } from "../../fakes/platforms/bluebubbles-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("bluebubbles");

async function startKit(hasPrivateApi = true) {
  const port = await freePort();
  const local = `http://127.0.0.1:${port}/bluebubbles-webhook`;
  const server = await startBlueBubblesServer({ local, hasPrivateApi });
  const env = { BLUEBUBBLES_SERVER_URL: server.url, BLUEBUBBLES_PASSWORD: server.password };
  return {
    server,
    local,
    env,
    wrongEnv: { ...env, BLUEBUBBLES_PASSWORD: "wrong" },
    settings: { "bluebubbles.webhook_port": port },
    chatId: blueBubblesChat,
    say: (text: string) => server.message({ text }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, transferName: string) =>
      server.message({ attachments: [{ guid: server.file(bytes), transferName, mimeType: "application/pdf" }] }),
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describePlatform(platform, () => startKit());

it("calls without the password are refused [40:A-BB-2]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const body = JSON.stringify({
    type: "new-message",
    data: { guid: "x", text: "hi", chats: [{ guid: blueBubblesChat }] },
  });
  expect((await fetch(kit.local, { method: "POST", body })).status).toBe(401);
  expect((await fetch(`${kit.local}?password=wrong`, { method: "POST", body })).status).toBe(401);
  expect(at.ports.admitted).toEqual([]);
});

it("one registration stands, however often it starts; none when it stopped [40:A-BB-4]", async () => {
  await using kit = await startKit();
  {
    await using _ = await connectedTo(platform, kit);
    expect(kit.server.hooks().length).toBe(1);
  }
  expect(kit.server.hooks()).toEqual([]);
});

it("without the private API an answer refers to no message [40:A-BB-5]", async () => {
  await using kit = await startKit(false);
  await using at = await connectedTo(platform, kit);
  const to = { platform: "bluebubbles", account: "", chatId: blueBubblesChat };
  const message = { kind: "text", body: { text: "yes", plain: "yes" }, replyTo: "in-1" } as const;
  expect(await at.connection.send(to, message, { key: "k", signal: never })).toMatchObject({ kind: "sent" });
});
