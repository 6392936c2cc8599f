import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import type { Outbound } from "#gateway/testing";
import { startWeixinServer } from "../../fakes/platforms/weixin-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("weixin");

async function startKit() {
  const server = await startWeixinServer();
  const env = {
    WEIXIN_ACCOUNT_ID: server.account,
    WEIXIN_TOKEN: server.token,
    WEIXIN_BASE_URL: server.url,
    WEIXIN_CDN_BASE_URL: `${server.url}/c2c`,
  };
  return {
    server,
    env,
    wrongEnv: { ...env, WEIXIN_TOKEN: "wrong" },
    settings: {},
    chatId: "ada@im.wechat",
    say: (text: string) => server.text(text),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, name: string) => server.message({ item_list: [server.fileItem(bytes, name)] }),
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.cutPolls(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

// A new start goes on from the position that was written down [40:A-WI-1]: part of the suite.
describePlatform(platform, startKit);

const to = { platform: "weixin", account: "", chatId: "ada@im.wechat" };
const words = (text: string): Outbound => ({ kind: "text", body: { text, plain: text } });

it("leaves out a context that ended, and one message appears [40:A-WI-2]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  kit.say("hi");
  await expect.poll(() => at.ports.admitted.length).toBe(1);
  kit.server.expireContexts();
  expect(await at.connection.send(to, words("hello"), { key: "k", signal: never })).toMatchObject({ kind: "sent" });
  const sends = kit.server.calls.filter(({ path: one }) => one.endsWith("sendmessage")).map(({ json }) => json["msg"]);
  expect(sends).toEqual([
    expect.objectContaining({ context_token: "context1" }),
    expect.not.objectContaining({ context_token: expect.anything() }),
  ]);
  expect(kit.shown()).toEqual(["hello"]);
});

it("a picture goes out encrypted and comes back the same [40:A-WI-3]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-weixin-"));
  try {
    const file = path.join(folder, "a.png");
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251));
    await writeFile(file, bytes);
    const message: Outbound = { kind: "media", media: "image", file, name: "a.png" };
    expect(await at.connection.send(to, message, { key: "k", signal: never })).toMatchObject({ kind: "sent" });
    expect(kit.server.sentFile()?.equals(bytes)).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it("groups are heard only where they are allowed [40:A-WI-4]", async () => {
  await using kit = await startKit();
  const group = { group_id: "g1@chatroom" };
  {
    await using at = await connectedTo(platform, kit);
    kit.server.text("among us", group);
    kit.server.text("to you");
    await expect.poll(() => at.ports.admitted.map(({ text }) => text)).toEqual(["to you"]);
  }
  const settings = { "weixin.group_policy": "allowlist", "weixin.group_allow_from": ["g1@chatroom"] };
  await using at = await connectedTo(platform, { ...kit, settings });
  kit.server.text("elsewhere", { group_id: "g2@chatroom" });
  kit.server.text("with you", group);
  await expect.poll(() => at.ports.admitted.map(({ source }) => source.chatId)).toEqual(["g1@chatroom"]);
});

it("a long answer comes in parts, in order and not too fast [40:A-WI-5]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const pieces = platform?.render("words and more ".repeat(600)) ?? [];
  expect(pieces).toHaveLength(3);
  for (const [index, body] of pieces.entries())
    await at.connection.send(to, { kind: "text", body }, { key: `k:${index}`, signal: never });
  const shown = kit.server.shownIn();
  expect(shown.map(({ text }) => text)).toEqual(pieces.map(({ text }) => text));
  for (const [index, { atMs }] of shown.entries())
    if (index > 0) expect(atMs - (shown[index - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(345);
});

it("every line is a message where that is asked for, code stays whole", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, { ...kit, settings: { "weixin.split_multiline_messages": true } });
  await at.connection.send(to, words("one\ntwo\n```\na\nb\n```"), { key: "k", signal: never });
  expect(kit.shown()).toEqual(["one", "two", "```\na\nb\n```"]);
});

it("logging in gives the account and its token once the code is scanned", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const said: string[] = [];
  const got = platform?.login?.({ ...at.ports, show: (text) => void said.push(text) }, never);
  await expect.poll(() => said.join("\n")).toContain("/qr1");
  kit.server.scan();
  expect(await got).toEqual({ account_id: kit.server.account, token: kit.server.token });
});
