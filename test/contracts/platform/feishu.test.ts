import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import type { Outbound } from "#gateway/testing";
import { freePort } from "../../fakes/free-port.ts";
import { startFeishuServer } from "../../fakes/platforms/feishu-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("feishu");

async function startKit(mode: "websocket" | "webhook" = "websocket") {
  const port = mode === "webhook" ? await freePort() : 0;
  const server = await startFeishuServer(mode === "webhook" ? `http://127.0.0.1:${port}/feishu/webhook` : undefined);
  const env = {
    FEISHU_APP_ID: server.appId,
    FEISHU_APP_SECRET: server.secret,
    FEISHU_CONNECTION_MODE: mode,
    FEISHU_ENCRYPT_KEY: server.encryptKey,
    FEISHU_VERIFICATION_TOKEN: server.verificationToken,
    FEISHU_WEBHOOK_PORT: String(port),
  };
  return {
    server,
    env,
    wrongEnv: { ...env, FEISHU_APP_SECRET: "wrong" },
    settings: { "feishu.base_url": server.url } as Record<string, unknown>,
    chatId: "oc_ada",
    say: (text: string) => server.message({ message_type: "text", content: JSON.stringify({ text }) }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, file_name: string) =>
      server.message({ message_type: "file", content: JSON.stringify({ file_key: server.file(bytes), file_name }) }),
    shown: server.shown,
    nextSend: server.nextSend,
    deliversEach: true,
    sends: server.sends,
    breakConnection: () => server.endSockets(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("over the long connection", () => describePlatform(platform, () => startKit("websocket")));
describe("over calls", () => describePlatform(platform, () => startKit("webhook")));

const to = { platform: "feishu", account: "", chatId: "oc_ada" };
const at = (key: string) => ({ key, signal: never });
const words = (text: string, plain = text): Outbound => ({ kind: "text", body: { text, plain } });
const post = async ({ url, headers, body }: { url: string; headers: Readonly<Record<string, string>>; body: string }) =>
  await fetch(url, { method: "POST", headers, body });

describe("calls of Feishu", () => {
  it("answer the challenge [40:A-FS-3]", async () => {
    await using kit = await startKit("webhook");
    await using _at = await connectedTo(platform, kit);
    const { verificationToken: token } = kit.server;
    const answer = await post(kit.server.call({ type: "url_verification", challenge: "c-1", token }));
    expect(await answer.json()).toEqual({ challenge: "c-1" });
    expect((await post(kit.server.call({ type: "url_verification", challenge: "c", token: "other" }))).status).toBe(
      401,
    );
  });

  it("must be encrypted, signed and of our app [40:ADP-2]", async () => {
    await using kit = await startKit("webhook");
    await using at = await connectedTo(platform, kit);
    const event = { schema: "2.0", header: { event_type: "x", token: kit.server.verificationToken }, event: {} };
    const call = kit.server.call(event);
    expect((await post(call)).status).toBe(200);
    const statuses = await Promise.all([
      post({ ...call, headers: { ...call.headers, "x-lark-request-nonce": "n2" } }),
      post({ ...call, body: JSON.stringify(event) }),
      post({ ...call, body: JSON.stringify({ encrypt: Buffer.alloc(64).toString("base64") }) }),
      post(kit.server.call({ ...event, header: { event_type: "x", token: "other" } })),
      post({ ...call, headers: { "content-type": "text/plain" } }),
      post({ ...call, body: "{" }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 415, 400]);
    expect(at.ports.admitted).toEqual([]);
  });

  it("are refused when they flood [40:A-FS-2]", async () => {
    await using kit = await startKit("webhook");
    await using _at = await connectedTo(platform, kit);
    const call = kit.server.call({ schema: "2.0", header: { token: kit.server.verificationToken }, event: {} });
    const statuses: number[] = [];
    for (let count = 0; count < 121; count += 1) statuses.push((await post(call)).status);
    expect(statuses.slice(0, 120).every((status) => status === 200)).toBe(true);
    expect(statuses[120]).toBe(429);
  });

  it("are not listened for without anything that proves them", async () => {
    await using kit = await startKit("webhook");
    const env = { ...kit.env, FEISHU_ENCRYPT_KEY: "", FEISHU_VERIFICATION_TOKEN: "" };
    await expect(connectedTo(platform, { ...kit, env })).rejects.toMatchObject({ isRetryable: false });
  });
});

describe("groups of Feishu", () => {
  const group = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
    chat_id: "oc_group",
    chat_type: "group",
    message_type: "text",
    content: JSON.stringify({ text }),
    ...more,
  });
  const bot = [{ key: "@_user_1", id: { open_id: "ou_bot" }, name: "Hermes" }];

  it("are heard when somebody addresses the bot or all, and what addresses it is taken out", async () => {
    await using kit = await startKit();
    const settings = { ...kit.settings, "feishu.group_policy": "open" };
    await using at = await connectedTo(platform, { ...kit, settings });
    kit.server.message(group("talk among us"));
    kit.server.message(
      group("@_user_1 and you, @_user_10?", {
        mentions: [...bot, { key: "@_user_10", id: { open_id: "ou_b" }, name: "Bob" }],
      }),
    );
    kit.server.message(group("@_all hello"));
    await expect.poll(() => at.ports.admitted.map(({ text }) => text)).toEqual(["and you, @Bob?", "@_all hello"]);
    expect(at.ports.admitted[0]?.source).toMatchObject({ chatType: "group", userId: "ou_ada", userIdAlt: "on_ada" });
  });

  it("follow their rules: admins only, lists, closed [40:A-FS-4]", async () => {
    await using kit = await startKit();
    const settings = {
      ...kit.settings,
      "feishu.group_rules": {
        oc_group: { policy: "admin_only" },
        oc_black: { policy: "blacklist", blacklist: ["ada"] },
      },
      "feishu.default_group_policy": "disabled",
      "feishu.admins": ["on_root"],
    };
    await using at = await connectedTo(platform, { ...kit, settings });
    const root = { open_id: "ou_root", union_id: "on_root", user_id: "root" };
    kit.server.message(group("@_all not an admin"));
    kit.server.message(group("@_all an admin"), root);
    kit.server.message(group("@_all on the list", { chat_id: "oc_black" }));
    kit.server.message(group("@_all closed", { chat_id: "oc_other" }), root);
    kit.say("the end");
    await expect.poll(() => at.ports.admitted.map(({ text }) => text)).toEqual(["@_all an admin", "the end"]);
  });
});

it("markup that is refused leaves as plain words [40:A-FS-5]", async () => {
  await using kit = await startKit();
  await using connected = await connectedTo(platform, kit);
  const { send } = connected.connection;
  kit.nextSend("refused-markup");
  expect(await send(to, words("**a**", "a"), at("k1"))).toMatchObject({ kind: "failed", errorClass: "format" });
  expect(await send(to, words("a"), at("k1"))).toMatchObject({ kind: "sent" });
  expect(kit.server.messages().map(({ type, text }) => ({ type, text }))).toEqual([{ type: "text", text: "a" }]);
});

it("a click on a button of ours is a press, answered to who clicked; another card's is told as words [40:A-FS-6]", async () => {
  await using kit = await startKit();
  await using connected = await connectedTo(platform, kit);
  const question: Outbound = {
    kind: "text",
    body: { text: "Run it?", plain: "Run it?" },
    buttons: [[{ label: "Yes", data: "ask:1:once" }]],
  };
  const sent = await connected.connection.send(to, question, at("q1"));
  const id = sent.kind === "sent" ? (sent.messageId ?? "") : "";
  const click = (value: unknown) =>
    kit.server.event("card.action.trigger", {
      operator: { open_id: "ou_ada" },
      action: { tag: "button", value },
      context: { open_message_id: id, open_chat_id: "oc_ada" },
    });
  click({ hermes_action: "ask:1:once" });
  kit.repeat();
  await expect.poll(() => connected.ports.presses.length).toBe(2);
  expect(new Set(connected.ports.presses.map(({ dedupKey }) => dedupKey)).size).toBe(1);
  expect(connected.ports.presses[0]).toMatchObject({
    messageId: id,
    data: "ask:1:once",
    source: { chatType: "dm", userId: "ou_ada" },
  });
  await expect.poll(() => kit.server.answers()[0]).toEqual({ toast: { type: "info", content: "Done." } });
  click({ other: 1 });
  click({ other: 1 });
  await expect
    .poll(() => connected.ports.admitted.map(({ text }) => text))
    .toEqual(Array(2).fill('/card button {"other":1}'));
  expect(new Set(connected.ports.admitted.map(({ dedupKey }) => dedupKey)).size).toBe(1);
});

it("a growing answer is a card, which may change more often than a text", async () => {
  await using kit = await startKit();
  await using connected = await connectedTo(platform, kit);
  const sent = await connected.connection.send(to, words("**a**", "a"), { ...at("g1"), isGrowing: true });
  const messageId = sent.kind === "sent" ? (sent.messageId ?? "") : "";
  for (let count = 0; count < 25; count += 1) {
    const edit: Outbound = {
      kind: "edit",
      messageId,
      body: { text: `**${count}**`, plain: "" },
      isFinal: count === 24,
    };
    expect(await connected.connection.send(to, edit, at(`g${count}`))).toMatchObject({ kind: "sent" });
  }
  expect(kit.shown()).toEqual(["**24**"]);
});

it("threads are answered in the thread; where the message is gone, the answer stands by itself", async () => {
  await using kit = await startKit();
  await using connected = await connectedTo(platform, kit);
  kit.server.message({
    message_id: "om_2",
    root_id: "om_1",
    thread_id: "omt_1",
    message_type: "text",
    content: '{"text":"in a thread"}',
  });
  await expect.poll(() => connected.ports.admitted[0]?.source.threadId).toBe("om_1");
  await connected.connection.send({ ...to, threadId: "om_1" }, words("one"), at("t1"));
  kit.server.withdraw("om_1");
  await connected.connection.send({ ...to, threadId: "om_1" }, words("two"), at("t2"));
  expect(kit.server.messages()).toMatchObject([
    { text: "one", parent: "om_1", inThread: true },
    { text: "two", parent: "" },
  ]);
});

it("a token that was taken back is asked for anew", async () => {
  await using kit = await startKit();
  await using connected = await connectedTo(platform, kit);
  kit.server.expireTokens();
  expect(await connected.connection.send(to, words("a"), at("k"))).toMatchObject({ kind: "sent" });
});

it("rich text, long events in parts, forwarded messages and reactions are read", async () => {
  await using kit = await startKit();
  await using connected = await connectedTo(platform, kit);
  kit.server.splitAt(100);
  const run = (tag: string, more: object) => ({ tag, ...more });
  const content = [
    [run("text", { text: "see ", style: ["bold"] }), run("a", { text: "this", href: "https://e.com" })],
    [run("img", { image_key: "img_1" }), run("code_block", { language: "GO", text: "x := 1" })],
  ];
  kit.server.message({ message_type: "post", content: JSON.stringify({ title: "Plan", content }) });
  kit.server.message({ message_id: "om_bundle", message_type: "merge_forward", content: "{}" });
  await connected.connection.send(to, words("mine"), at("m"));
  const reaction = {
    message_id: "om_bot0",
    operator_type: "user",
    user_id: { open_id: "ou_ada" },
    reaction_type: { emoji_type: "OK" },
  };
  kit.server.event("im.message.reaction.created_v1", reaction);
  await expect.poll(() => connected.ports.admitted.length).toBe(3);
  const [rich, bundle, mark] = connected.ports.admitted;
  expect(rich?.text).toBe("# Plan\n**see **[this](https://e.com)\n\n```go\nx := 1\n```");
  expect(rich?.attachments).toMatchObject([{ kind: "image", ref: { key: "img_1", type: "image" } }]);
  expect(bundle).toMatchObject({ text: "[Forwarded messages]\none\n[File]", untrusted: "forwarded messages" });
  expect(mark).toMatchObject({ text: "reaction:added:OK", source: { chatId: "oc_ada", chatType: "dm" } });
});

it("a comment that mentions the bot is answered under it, one on the whole document by another", async () => {
  await using kit = await startKit();
  await using connected = await connectedTo(platform, kit);
  kit.server.comments.push(
    { id: "c0", isWhole: false, replies: ["why?", "what do you say?"] },
    { id: "c1", isWhole: true, replies: ["and you?"] },
  );
  const mention = (comment_id: string, reply_id: string) =>
    kit.server.event("drive.notice.comment_add_v1", {
      comment_id,
      reply_id,
      is_mentioned: true,
      notice_meta: { file_token: "docx1", file_type: "docx", from_user_id: { open_id: "ou_ada" } },
    });
  mention("c0", "c0r1");
  mention("c1", "c1r0");
  await expect.poll(() => connected.ports.admitted.length).toBe(2);
  const [first, second] = connected.ports.admitted;
  expect(first?.text).toBe(
    "[Comment in the docx document docx1]\n[On the passage: Buy milk.]\n[Earlier: why?]\nwhat do you say?",
  );
  for (const [index, message] of [first, second].entries()) {
    const there = { ...to, chatId: message?.source.chatId ?? "" };
    expect(await connected.connection.send(there, words("Yes."), at(`c${index}`))).toMatchObject({ kind: "sent" });
  }
  expect(kit.server.comments).toMatchObject([
    { replies: ["why?", "what do you say?", "Yes."] },
    {},
    { isWhole: true, replies: ["Yes."] },
  ]);
});
