import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import type { Outbound } from "#gateway/testing";
import { startWecomBotServer } from "../../fakes/platforms/wecom-bot-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("wecom");

async function startKit() {
  const server = await startWecomBotServer();
  const env = { WECOM_BOT_ID: server.botId, WECOM_SECRET: server.secret, WECOM_WEBSOCKET_URL: server.socketUrl };
  return {
    server,
    env,
    wrongEnv: { ...env, WECOM_SECRET: "wrong" },
    settings: {},
    chatId: "ada",
    say: (content: string) => server.message({ msgtype: "text", text: { content } }),
    repeat: () => server.repeat(),
    // A file comes encrypted, and is opened with the key beside its address.
    sendFile: (bytes: Buffer, filename: string) =>
      server.message({ msgtype: "file", file: { ...server.encryptedFile(bytes), filename } }),
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.endSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describePlatform(platform, startKit);

const words = (text: string): Outbound => ({ kind: "text", body: { text, plain: text } });
const to = (chatId: string) => ({ platform: "wecom", account: "", chatId });

it("answers in a group carry the request; where it is over, they go as messages of their own [40:A-WX-1]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const text = { content: "@Hermes hi there" };
  kit.server.message({ msgtype: "text", text, chattype: "group", chatid: "g1" });
  await expect.poll(() => at.ports.admitted.map((one) => one.text)).toEqual(["hi there"]);
  await at.connection.send(to("g1"), words("hello"), { key: "k1", signal: never });
  expect(kit.server.frames.at(-1)).toMatchObject({ cmd: "aibot_respond_msg", headers: { req_id: "req1" } });
  await at.connection.send(to("g2"), words("news"), { key: "k2", signal: never });
  expect(kit.server.frames.at(-1)).toMatchObject({ cmd: "aibot_send_msg", body: { chatid: "g2" } });
  expect(kit.server.shownIn()).toEqual([
    { chat: "g1", text: "hello" },
    { chat: "g2", text: "news" },
  ]);
});

it("a voice that WeCom does not play comes as a file, and says why; large files go in pieces [40:A-WX-2]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-wecom-"));
  try {
    const file = path.join(folder, "talk.mp3");
    await writeFile(file, Buffer.alloc(1_200_000, 7));
    const message: Outbound = { kind: "media", media: "voice", file, name: "talk.mp3" };
    expect(await at.connection.send(to("ada"), message, { key: "k", signal: never })).toMatchObject({ kind: "sent" });
    expect(kit.shown()).toEqual(["[file talk.mp3]", expect.stringContaining("AMR")]);
    expect(kit.server.frames.filter(({ cmd }) => cmd === "aibot_upload_media_chunk")).toHaveLength(3);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it("a subscription that fails is tried again later, unless the credentials are wrong [40:A-WX-3]", async () => {
  await using kit = await startKit();
  kit.server.answerSubscriptions(45033, "system busy");
  await expect(connectedTo(platform, kit)).rejects.toMatchObject({ isRetryable: true });
  kit.server.answerSubscriptions(40013, "invalid bot_id");
  await expect(connectedTo(platform, kit)).rejects.toMatchObject({ isRetryable: false });
});

it("an encrypted picture is a picture again [40:A-WX-4]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(120_000, 3)]);
  const image = kit.server.encryptedFile(png);
  const item = [
    { msgtype: "text", text: { content: "what is it?" } },
    { msgtype: "image", image },
  ];
  kit.server.message({ msgtype: "mixed", mixed: { msg_item: item } });
  await expect.poll(() => at.ports.admitted.length).toBe(1);
  const [message] = at.ports.admitted;
  const [attachment] = message?.attachments ?? [];
  expect(message?.text).toBe("what is it?");
  if (attachment === undefined || at.connection.fetchAttachment === undefined) throw new Error("no picture");
  const chunks: Uint8Array[] = [];
  for await (const chunk of await at.connection.fetchAttachment(attachment, never)) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(png)).toBe(true);
  const wrong = { ...attachment, ref: { ...attachment.ref, key: Buffer.alloc(32, 1).toString("base64") } };
  const read = async () => {
    for await (const _ of (await at.connection.fetchAttachment?.(wrong, never)) ?? []);
  };
  await expect(read()).rejects.toThrow("does not open");
});

it("a line whose pings are not answered is made again [40:A-WX-5]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  // A clock that runs a thousand times as fast; the answer is waited for by the other one.
  const { clock } = at.ports;
  const hurried = {
    ...clock,
    now: () => clock.now(),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms / 1000, signal ?? never),
  };
  kit.server.ignorePings();
  const connection = await platform?.connect({ ...at.ports, clock: hurried }, never);
  try {
    const before = kit.server.connections();
    await expect.poll(() => kit.server.connections(), { timeout: 40_000 }).toBeGreaterThan(before);
  } finally {
    await connection?.[Symbol.asyncDispose]();
  }
}, 60_000);

it("its own rules say which chats are heard", async () => {
  await using kit = await startKit();
  const settings = {
    "wecom.dm_policy": "allowlist",
    "wecom.allow_from": ["user:eve"],
    "wecom.group_policy": "disabled",
  };
  await using at = await connectedTo(platform, { ...kit, settings });
  kit.say("not me");
  kit.server.message({ msgtype: "text", text: { content: "nor here" }, chattype: "group", chatid: "g1" });
  kit.server.message({ msgtype: "text", text: { content: "but me" }, from: { userid: "eve" } });
  await expect.poll(() => at.ports.admitted.map((one) => one.text)).toEqual(["but me"]);
});

it("a message that WeCom is too busy for is tried again", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  kit.server.nextSend("server-error");
  const to = { platform: "wecom", account: "", chatId: kit.chatId };
  const message = { kind: "text", body: { text: "hi", plain: "hi" } } as const;
  const busy = await at.connection.send(to, message, { key: "k", signal: never });
  expect(busy).toMatchObject({ kind: "failed", errorClass: "network" });
});
