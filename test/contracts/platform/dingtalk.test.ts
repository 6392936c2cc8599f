import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import type { Outbound } from "#gateway/testing";
import { startDingtalkServer } from "../../fakes/platforms/dingtalk-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("dingtalk");

async function startKit() {
  const server = await startDingtalkServer();
  const env = { DINGTALK_CLIENT_ID: server.clientId, DINGTALK_CLIENT_SECRET: server.secret };
  return {
    server,
    env,
    wrongEnv: { ...env, DINGTALK_CLIENT_SECRET: "wrong" },
    settings: { "dingtalk.base_url": server.url } as Record<string, unknown>,
    chatId: "staff1",
    say: (content: string) => server.message({ text: { content } }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, fileName: string) =>
      server.message({ msgtype: "file", content: { downloadCode: server.file(bytes), fileName } }),
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.endSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

// A message that is delivered again has the same key [40:A-DT-5]: part of the suite.
describePlatform(platform, startKit);

const to = { platform: "dingtalk", account: "", chatId: "staff1" };
const words = (text: string): Outbound => ({ kind: "text", body: { text, plain: text } });
const paths = (calls: readonly { readonly path: string }[]): readonly string[] => calls.map(({ path }) => path);

it("answers where the message says, and only at DingTalk; without such an address the robot writes by itself [40:A-DT-1] [40:A-DT-4]", async () => {
  await using kit = await startKit();
  await using at = await connectedTo(platform, kit);
  const heard = async (more: Record<string, unknown>) => {
    const before = at.ports.admitted.length;
    kit.server.message({ text: { content: "hi" }, ...more });
    await expect.poll(() => at.ports.admitted.length).toBe(before + 1);
  };
  const sentBy = async (text: string) => {
    expect(await at.connection.send(to, words(text), { key: text, signal: never })).toMatchObject({ kind: "sent" });
    return paths(kit.server.calls).at(-1);
  };
  await heard({ sessionWebhook: "https://evil.example/robot/sendBySession?session=staff1" });
  expect(await sentBy("one")).toBe("/v1.0/robot/oToMessages/batchSend");
  await heard({});
  expect(await sentBy("two")).toBe("/robot/sendBySession");
  await heard({ sessionWebhookExpiredTime: Date.now() + 4 * 60_000 });
  expect(await sentBy("three")).toBe("/v1.0/robot/oToMessages/batchSend");
  const group = { ...to, chatId: "cidGroup==" };
  expect(await at.connection.send(group, words("four"), { key: "4", signal: never })).toMatchObject({ kind: "sent" });
  expect(kit.server.shownIn().at(-1)).toEqual({ chat: "cidGroup==", text: "four" });
});

it("in groups it listens to what addresses it, where that is asked for [40:A-DT-2]", async () => {
  await using kit = await startKit();
  const settings = { ...kit.settings, "dingtalk.require_mention": true };
  await using at = await connectedTo(platform, { ...kit, settings });
  const group = { conversationType: "2", conversationId: "cidGroup==" };
  kit.server.message({ ...group, text: { content: "talk among us" }, isInAtList: false });
  kit.server.message({ ...group, text: { content: " and you?" }, isInAtList: true });
  await expect.poll(() => at.ports.admitted.map(({ text }) => text)).toEqual(["and you?"]);
  expect(at.ports.admitted[0]?.source).toMatchObject({ chatType: "group", chatId: "cidGroup==", userIdAlt: "staff1" });
});

it("an answer that grows is one card, ended once; what was left open is ended first [40:A-DT-3]", async () => {
  await using kit = await startKit();
  const settings = { ...kit.settings, "dingtalk.card_template_id": kit.server.template };
  await using at = await connectedTo(platform, { ...kit, settings });
  const growing = { signal: never, isGrowing: true };
  const tools = await at.connection.send(to, words("tools"), { key: "live:0", ...growing });
  const first = await at.connection.send(to, words("Hel"), { key: "live:1", ...growing });
  if (tools.kind === "failed" || first.kind === "failed") throw new Error("no card");
  expect(kit.server.finalised()).toEqual([0, 0]);
  const edit = (text: string, isFinal: boolean): Outbound => ({
    kind: "edit",
    messageId: first.messageId ?? "",
    body: { text, plain: text },
    isFinal,
  });
  await at.connection.send(to, edit("Hello wor", false), { key: "e1", signal: never });
  await at.connection.send(to, edit("Hello world.", true), { key: "e2", signal: never });
  await at.connection.send(to, edit("Hello world.", true), { key: "e2", signal: never });
  expect(kit.shown()).toEqual(["tools", "Hello world."]);
  expect(kit.server.finalised()).toEqual([1, 1]);
});

it("a card that is refused becomes text", async () => {
  await using kit = await startKit();
  const settings = { ...kit.settings, "dingtalk.card_template_id": kit.server.template };
  await using at = await connectedTo(platform, { ...kit, settings });
  kit.server.refuseCards();
  expect(await at.connection.send(to, words("still here"), { key: "k", signal: never })).toMatchObject({
    kind: "sent",
  });
  expect(kit.shown()).toEqual(["still here"]);
});
