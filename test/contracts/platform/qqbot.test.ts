import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { startQqServer } from "../../fakes/platforms/qq-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("qqbot");

async function startKit() {
  const server = await startQqServer();
  const env = { QQ_APP_ID: server.appId, QQ_CLIENT_SECRET: server.secret };
  return {
    server,
    env,
    wrongEnv: { ...env, QQ_CLIENT_SECRET: "wrong" },
    settings: { "qqbot.base_url": server.url },
    chatId: "user:openid1",
    say: (content: string) => server.message({ content }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, filename: string) =>
      server.message({
        attachments: [{ content_type: "application/pdf", filename, url: `${server.url}/files/${server.file(bytes)}` }],
      }),
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.endSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

// A session that is resumed brings what was missed, once [40:A-QQ-2]: part of the suite.
describePlatform(platform, startKit);

it("gives up when QQ does not let the bot connect [40:A-QQ-1]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  kit.server.endSockets(4914);
  expect(await at.connection.lost).toMatchObject({ isRetryable: false });
});

it("writes plain text that refers to the message where Markdown is off [40:A-QQ-4]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, {
    ...kit,
    settings: { ...kit.settings, "qqbot.markdown_support": false },
  });
  const to = { platform: "qqbot", account: "", chatId: kit.chatId };
  const message = { kind: "text", body: { text: "**hi**", plain: "hi" }, replyTo: "in0" } as const;
  expect(await at.connection.send(to, message, { key: "k:0", signal: never })).toMatchObject({ kind: "sent" });
  expect(kit.server.calls.at(-1)?.json).toMatchObject({
    msg_type: 0,
    content: "hi",
    message_reference: { message_id: "in0" },
  });
});
