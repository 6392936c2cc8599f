import { afterEach, describe, expect, it } from "vitest";
import type { NewInboxEntry } from "#store/testing";
import { says, slow } from "../../../test/fakes/model-server/index.ts";
import { type HarnessOptions, openHarness } from "../testing/harness.ts";
import { textsOf } from "../testing/test-agent.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function harness(options: HarnessOptions = {}) {
  const one = await openHarness(options);
  open.push(one);
  return one;
}

const cursor = (value: string) => ({ platform: "telegram", account: "bot", name: "offset", value });
const entry = (dedupKey: string): NewInboxEntry => ({
  dedupKey,
  platform: "telegram",
  account: "bot",
  sessionKey: "agent:main:telegram:dm:1",
  kind: "message",
  event: { text: dedupKey },
});

describe("an input with a key", () => {
  it("is taken in once, with the cursor of its platform, in whichever session it arrives [40:SCL-4] [40:SCL-5]", async () => {
    const { open, server, store } = await harness();
    server.script(says("Hi."));
    const session = await open({ source: "telegram" });
    const sent = await session.submit({ text: "hello", admission: { key: "update:7", cursor: cursor("7") } });
    expect(sent.kind).toBe("turn");
    await session.settled();
    expect(await store.inbox.cursor("telegram", "bot", "offset")).toBe("7");
    expect(await session.submit({ text: "/new" })).toMatchObject({ kind: "command" });
    const again = await session.submit({ text: "hello", admission: { key: "update:7", cursor: cursor("8") } });
    expect(again).toEqual({ kind: "duplicate" });
    expect(await store.inbox.cursor("telegram", "bot", "offset")).toBe("8");
    expect(session.history).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it("that is a command runs once, and is not told to the model after a crash [40:A-PRC-10] [40:FLW-27]", async () => {
    const { open, store } = await harness();
    const session = await open({ source: "telegram" });
    const admission = { key: "update:8", cursor: cursor("8") };
    expect(await session.submit({ text: "/status", admission })).toMatchObject({ kind: "command" });
    expect(await session.submit({ text: "/status", admission })).toEqual({ kind: "duplicate" });
    expect(await store.inbox.counts()).toMatchObject({ pending: 0, done: 1 });
    expect(await store.inbox.cursor("telegram", "bot", "offset")).toBe("8");
  });

  it("that cannot be written is not taken in: whoever sent it sends it again", async () => {
    let isDown = false;
    const { open, server, store } = await harness();
    const admit = store.inbox.admit.bind(store.inbox);
    Object.assign(store.inbox, {
      admit: (...args: Parameters<typeof admit>) => (isDown ? Promise.reject(new Error("disk full")) : admit(...args)),
    });
    const session = await open({ source: "telegram" });
    isDown = true;
    const admission = { key: "update:9" };
    await expect(session.submit({ text: "hello", admission })).rejects.toThrow("disk full");
    isDown = false;
    server.script(says("Hi."));
    expect(await session.submit({ text: "hello", admission })).toMatchObject({ kind: "turn" });
    await session.settled();
    expect(textsOf(session.history)).toEqual(["hello", "Hi."]);
  });
});

describe("words that are in the inbox already", () => {
  it("are not admitted again and leave it with their message [40:SCL-18]", async () => {
    const { open, server, store } = await harness();
    const ids = [(await store.inbox.admit(entry("a"))).id, (await store.inbox.admit(entry("b"))).id];
    server.script(slow(says("Both.")));
    const session = await open({ source: "telegram" });
    await session.submit({ text: "a\nb", admission: { inboxIds: ids } });
    await server.received(1);
    expect(await store.inbox.counts()).toMatchObject({ pending: 0, claimed: 0, done: 2 });
    server.release(1_000);
    await session.settled();
    expect(textsOf(session.history)).toEqual(["a\nb", "Both."]);
  });

  it("are left to whoever took them first", async () => {
    const { open, server, store } = await harness();
    const { id } = await store.inbox.admit(entry("a"));
    await store.inbox.claim([id], "trn_other" as never);
    const session = await open({ source: "telegram" });
    const sent = await session.submit({ text: "a", admission: { inboxIds: [id] } });
    expect(sent.kind === "turn" && (await sent.ended)).toMatchObject({ errorClass: "already_sent" });
    expect(server.requests).toEqual([]);
  });

  it("stay in it while they wait, also when the session is closed", async () => {
    const { open, server, store } = await harness({ settings: { busyMode: "queue" } });
    server.script(slow(says("First.")));
    const session = await open({ source: "telegram" });
    await session.submit({ text: "begin" });
    await server.received(1);
    const { id } = await store.inbox.admit(entry("later"));
    expect(await session.submit({ text: "later", admission: { inboxIds: [id] } })).toMatchObject({ kind: "queued" });
    await session[Symbol.asyncDispose]();
    expect(await store.inbox.get(id)).toMatchObject({ status: "pending" });
  });
});

describe("a fenced session", () => {
  it("stores nothing once another program has it, and is to be opened again [40:SCL-12]", async () => {
    const { open, server, store, events } = await harness();
    server.script(slow(says("Too late.")));
    const session = await open({ isFenced: true });
    const sent = await session.submit({ text: "hello" });
    await server.received(1);
    const lease = await store.leases.get(`turn:${session.info.id}`);
    if (lease === undefined) throw new Error("no lease");
    await store.leases.release(lease);
    await store.leases.acquire(lease.name, "another", 30_000);
    server.release(1_000);
    expect(sent.kind === "turn" && (await sent.ended)).toBeTruthy();
    expect(textsOf(await store.messages.conversation(session.info.id))).toEqual(["hello"]);
    expect(events).toContainEqual(expect.objectContaining({ type: "notice", level: "error" }));
    expect(await session.submit({ text: "more" })).toMatchObject({ kind: "refused" });
  });
});

describe("what a surface writes alongside", () => {
  it("is owed in the transaction that stores the answer, under the turn its events name [40:SCL-14]", async () => {
    const { open, server, store, event } = await harness();
    server.script(says("Hi."));
    const session = await open({
      source: "telegram",
      alongside: async (tx, { isFinal, turnId, messages }) => {
        if (!isFinal) return;
        const chat = { sessionKey: "k", platform: "telegram", account: "bot", chatId: "1" };
        const payload = { text: messages.at(-1)?.content };
        await tx.outbox.owe([{ ...chat, idempotencyKey: `${turnId}:0`, kind: "send", payload }]);
      },
    });
    await session.submit({ text: "hello" });
    await session.settled();
    const { turnId } = await event("turn-start", session);
    expect(await store.outbox.byKey(`${turnId}:0`)).toMatchObject({ payload: { text: "Hi." } });
    expect((await store.turns.list(session.info.id)).map(({ id }) => id)).toEqual([turnId]);
  });
});
