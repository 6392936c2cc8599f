import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform, type Platform } from "#gateway";
import { sessionKeyOf } from "../../../src/gateway/routing/session-key.ts";
import type { Fields } from "../../fakes/platforms/fake-service.ts";
import { startWhatsAppBridgeServer } from "../../fakes/platforms/whatsapp-bridge-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const chosen = { whatsapp: { backend: "bridge" } } as Parameters<NonNullable<Platform["variantFor"]>>[0];
const platform = await (await loadPlatform("whatsapp"))?.variantFor?.(chosen);
const own = "4915100000001@s.whatsapp.net";
const group = "1203630001@g.us";

async function startKit(more: Readonly<Record<string, unknown>> = { "whatsapp.mode": "bot" }) {
  const server = await startWhatsAppBridgeServer();
  const env = { WHATSAPP_BACKEND: "bridge", WHATSAPP_BRIDGE_URL: server.url, WHATSAPP_BRIDGE_TOKEN: server.token };
  return {
    server,
    env,
    wrongEnv: { ...env, WHATSAPP_BRIDGE_TOKEN: "another-word" },
    settings: more,
    chatId: "15551112222@s.whatsapp.net",
    say: (text: string) => server.message({ text }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, name: string) =>
      server.message({ media: [{ id: server.file(bytes), type: "document", mime: "application/pdf", name }] }),
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    breakConnection: () => server.dropPolls(),
    deliversAgain: true,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describePlatform(platform, startKit);

/** What is taken in of these messages; the last one always is. */
async function takenOf(settings: Readonly<Record<string, unknown>>, messages: readonly Fields[]) {
  await using kit = await startKit(settings);
  await using at = await connectedTo(platform, kit);
  for (const message of messages) kit.server.message(message);
  const last = messages.at(-1)?.["text"];
  await expect.poll(() => at.ports.admitted.at(-1)?.text, { timeout: 15_000 }).toBe(last);
  return at.ports.admitted;
}

describe("the chat with oneself", () => {
  it("is the only one that is heard [40:A-WB-1]", async () => {
    const taken = await takenOf({}, [
      { text: "from somebody else" },
      { text: "the owner to Alice", senderId: own, fromMe: true },
      { text: "a status", chatId: "status@broadcast", senderId: own, fromMe: true },
      { text: "by the hidden id", chatId: "99900011@lid", senderId: "99900011:7@lid", fromMe: true },
      { text: "to myself", chatId: own, senderId: own, fromMe: true },
    ]);
    expect(taken.map((one) => one.text)).toEqual(["by the hidden id", "to myself"]);
    expect(new Set(taken.map(({ source }) => `${source.chatId} ${source.userId}`))).toEqual(
      new Set([`${own} 4915100000001`]),
    );
  });

  it("does not hear its own answers, and marks them as its own [40:A-WB-2]", async () => {
    await using kit = await startKit({});
    await using at = await connectedTo(platform, kit);
    const to = { platform: "whatsapp", account: own, chatId: own };
    const message = { kind: "text", body: { text: "an answer", plain: "an answer" } } as const;
    const sent = await at.connection.send(to, message, { key: "k1", signal: never });
    const [shown] = kit.shown();
    expect(shown).toBe("*Hermes*\nan answer");
    const me = { chatId: own, senderId: own, fromMe: true };
    kit.server.message({ ...me, id: sent.kind === "sent" ? sent.messageId : "", text: "known by its id" });
    kit.server.message({ ...me, text: shown });
    kit.server.message({ ...me, key: "k2", media: [{ id: "file0", type: "voice" }] });
    kit.server.message({ ...me, text: "a question" });
    await expect.poll(() => at.ports.admitted.map((one) => one.text), { timeout: 15_000 }).toEqual(["a question"]);
    expect(at.ports.positions.get("messages")).toBe("4");
  });
});

describe("a bot's account on a linked device", () => {
  it("reads the groups it may read, where it is addressed [40:A-WB-4]", async () => {
    const settings = { "whatsapp.mode": "bot", "whatsapp.group_policy": "allowlist" };
    const taken = await takenOf({ ...settings, "whatsapp.group_allow_from": [group] }, [
      { chatId: "999@g.us", text: "@4915100000001 other group", mentions: [own] },
      { chatId: group, text: "among people" },
      { chatId: group, text: "@99900011 by name", mentions: ["99900011@lid"] },
      { chatId: group, text: "as a reply", quoted: { id: "out1", senderId: own, text: "before" } },
    ]);
    expect(taken.map((one) => one.text)).toEqual(["by name", "as a reply"]);
    expect(taken.at(-1)).toMatchObject({
      source: { chatType: "group", chatId: group, userId: "15551112222" },
      replyTo: { messageId: "out1", text: "before" },
    });
  });

  it("knows a person by either name, on every device, as one: their chat and their part of a group are one conversation [40:FLW-5] [40:A-FLW-3]", async () => {
    const person = { senderId: "66812345678:5@s.whatsapp.net" };
    const hidden = { senderId: "777:2@lid", senderPhone: "+66812345678" };
    const taken = await takenOf({ "whatsapp.mode": "bot", "whatsapp.group_policy": "open" }, [
      { ...person, chatId: "66812345678:5@s.whatsapp.net", text: "one" },
      { ...hidden, chatId: "777@lid", text: "two" },
      { ...person, chatId: group, mentions: [own], text: "three" },
      { ...hidden, chatId: group, mentions: [own], text: "four" },
    ]);
    const keys = taken.map(({ source }) => sessionKeyOf(source, { groupPerUser: true, threadPerUser: false }));
    expect(keys).toEqual([
      "agent:main:whatsapp:dm:66812345678@s.whatsapp.net",
      "agent:main:whatsapp:dm:66812345678@s.whatsapp.net",
      `agent:main:whatsapp:group:${group}:66812345678@s.whatsapp.net`,
      `agent:main:whatsapp:group:${group}:66812345678@s.whatsapp.net`,
    ]);
  });

  it("knows a person behind a hidden id by the number", async () => {
    const hidden = { chatId: "777@lid", senderId: "777@lid", senderPhone: "+15551112222" };
    const [message] = await takenOf({ "whatsapp.mode": "bot" }, [{ ...hidden, text: "hi" }]);
    expect(message?.source).toMatchObject({
      chatId: "15551112222@s.whatsapp.net",
      chatIdAlt: "777@lid",
      userId: "15551112222",
    });
  });

  it.each([
    ["**a** and `**b**`", "*a* and `**b**`"],
    ["**b** ~~s~~", "*b* ~s~"],
    ["[t](http://u)", "t (http://u)"],
  ])("writes WhatsApp's markup: %s [40:EVT-27] [40:A-WB-5] [40:A-EVT-7]", async (markdown, shown) => {
    await using kit = await startKit();
    await using at = await connectedTo(platform, kit);
    const [body = { text: "", plain: "" }] = platform?.render(markdown) ?? [];
    const to = { platform: "whatsapp", account: own, chatId: kit.chatId };
    await at.connection.send(to, { kind: "text", body }, { key: "k1", signal: never });
    expect(kit.shown()).toEqual([shown]);
  });

  it("says why messages were left out, where that is asked for", async () => {
    await using kit = await startKit({ "whatsapp.mode": "bot", "whatsapp.debug": true });
    await using at = await connectedTo(platform, kit);
    kit.server.message({ fromMe: true, text: "mine" });
    const lines = () => JSON.stringify((at.ports.logger as unknown as { lines: unknown }).lines);
    await expect.poll(lines, { timeout: 15_000 }).toContain("our own");
  });

  it("is lost for good when the phone unlinks it [40:A-WB-3]", async () => {
    await using kit = await startKit();
    await using at = await connectedTo(platform, kit);
    kit.server.enter("logged_out");
    await expect(at.connection.lost).resolves.toMatchObject({ code: "whatsapp_unlinked", isRetryable: false });
    await expect(connectedTo(platform, kit)).rejects.toMatchObject({ code: "whatsapp_unlinked", isRetryable: false });
  });

  it("is reached on this machine only, and never without a word", async () => {
    await using kit = await startKit();
    for (const change of [{ WHATSAPP_BRIDGE_URL: "http://192.0.2.1:3000" }, { WHATSAPP_BRIDGE_TOKEN: "" }])
      await expect(connectedTo(platform, { ...kit, env: { ...kit.env, ...change } })).rejects.toMatchObject({
        code: "whatsapp_settings",
        isRetryable: false,
      });
    expect(kit.server.calls).toEqual([]);
  });
});
