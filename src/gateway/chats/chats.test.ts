import { afterEach, describe, expect, it } from "vitest";
import { calls, fails, says, slow } from "../../../test/fakes/model-server/index.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

describe("a message from a chat", () => {
  it("is answered once, though it came twice, and the chat goes on in its session [40:FLW-1] [40:SCL-5] [40:SES-1]", async () => {
    const { intake, message, server, start, heard, texts, store, sent } = await gateway();
    server.script(says("Hello Ann."), says("Still here."));
    start();
    const hello = message("hello");
    await intake.admit(hello, { name: "offset", value: "5" });
    await intake.admit(hello, { name: "offset", value: "5" });
    await heard(1);
    expect(await intake.position({ platform: "fake", account: "bot" }, "offset")).toBe("5");
    await intake.admit(message("and now?"));
    await heard(2);
    expect(texts()).toEqual(["Hello Ann.", "Still here."]);
    expect(sent[0]?.message).toMatchObject({ replyTo: "in1" });
    const route = await store.routes.get("agent:main:fake:dm:1");
    const kept = route === undefined ? [] : await store.messages.conversation(route.sessionId);
    expect(kept.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(route === undefined ? undefined : await store.sessions.get(route.sessionId)).toMatchObject({
      source: "fake",
    });
    expect(await store.inbox.counts()).toMatchObject({ pending: 0, claimed: 0, done: 2 });
    expect(server.requests.length).toBe(2);
  });

  it("that came while nothing ran is answered at the next start [40:SCL-10] [40:A-SCL-13]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(says("Good morning."));
    await intake.admit(message("good night"));
    start();
    await heard(1);
    expect(texts()).toEqual(["Good morning."]);
  });

  it("that comes when the chat has looked for the last time is found by its look back [40:FLW-14]", async () => {
    const { intake, message, server, start, heard, texts, store } = await gateway();
    server.script(says("First."), says("Second."));
    const release = store.leases.release.bind(store.leases);
    let isLate = true;
    const { leases, inbox } = store;
    Object.assign(leases, {
      async release(lease: Parameters<typeof release>[0]) {
        if (isLate && lease.name.startsWith("chat:")) {
          isLate = false;
          // Nobody is told of it, and no look from time to time finds it.
          Object.assign(inbox, { waitingSessions: () => Promise.resolve([]) });
          const late = message("two");
          const entry = { dedupKey: late.dedupKey, platform: "fake", account: "bot", event: late };
          await inbox.admit({ ...entry, sessionKey: "agent:main:fake:dm:1", kind: "message" });
        }
        await release(lease);
      },
    });
    start();
    await intake.admit(message("one"));
    await heard(2);
    expect(texts()).toEqual(["First.", "Second."]);
  });

  it("is answered from what is stored when another program had the session meanwhile [40:SCL-12]", async () => {
    const { intake, message, server, start, heard, texts, store, logger } = await gateway();
    server.script(slow(says("Too late.")), says("Here again."));
    start();
    await intake.admit(message("hello"));
    await server.received(1);
    const route = await store.routes.get("agent:main:fake:dm:1");
    const lease = await store.leases.get(`turn:${route?.sessionId}`);
    if (lease === undefined) throw new Error("no lease");
    await store.leases.release(lease);
    const theirs = await store.leases.acquire(lease.name, "another", 30_000);
    server.release(1_000);
    await expect.poll(() => JSON.stringify(logger.lines), { timeout: 15_000 }).toContain("no longer held");
    if (theirs.kind === "held") await store.leases.release(theirs.lease);
    await intake.admit(message("again"));
    await heard(1);
    expect(texts()).toEqual(["Here again."]);
  });

  it("is heard by its own chat only, and a slow chat holds up no other [40:SCL-18]", async () => {
    const { intake, message, server, start, heard, sent } = await gateway();
    server.script(slow(says("Slow.")), says("Quick."));
    start();
    await intake.admit(message("a", { chatId: "1" }));
    await server.received(1);
    await intake.admit(message("b", { chatId: "2" }));
    await heard(1);
    expect(sent[0]?.to.chatId).toBe("2");
    server.release(1_000);
    await heard(2);
    expect(sent[1]?.to.chatId).toBe("1");
  });

  it("of somebody who may not use Hermes is dropped, unseen by any model [40:AUT-1] [40:AUT-9]", async () => {
    const { intake, message, start, server, store, heard, logger } = await gateway();
    server.script(says("For Ann."));
    start();
    const source = { ...message("").source, userId: "stranger", chatId: "5" };
    await intake.admit(message("my secret words", { source }));
    await intake.admit(message("hello"));
    await heard(1);
    await expect.poll(async () => (await store.inbox.counts()).dropped).toBe(1);
    expect(server.requests.length).toBe(1);
    expect(JSON.stringify(logger.lines)).not.toContain("secret words");
  });

  it("of one person waits while as many of their chats are served as may be; others go on [40:SCL-22]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway({ mostPerUser: 1 });
    server.otherwise((request) =>
      JSON.stringify(request.messages).includes("first") ? slow(says("First.")) : says("Other."),
    );
    start();
    const of = (userId: string, chatId: string) => ({
      source: { platform: "fake", account: "bot", chatId, chatType: "dm", userId } as const,
    });
    await intake.admit(message("first", of("7", "1")));
    await server.received(1);
    await intake.admit(message("second", of("7", "2")));
    await intake.admit(message("third", of("8", "3")));
    await heard(1);
    expect(server.requests).toHaveLength(2);
    server.release(1_000);
    await heard(3);
    expect(texts()).toEqual(["Other.", "First.", "Other."]);
  });

  it("may be a command, which no model sees [40:CMD-5]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    start();
    await intake.admit(message("/title"));
    await heard(1);
    expect(texts()[0]).not.toBe("");
    expect(server.requests.length).toBe(0);
  });

  it("gets a long answer in numbered pieces, in order [40:EVT-24]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(says("word ".repeat(70).trim()));
    start();
    await intake.admit(message("long"));
    await heard(2);
    expect(texts().map((text) => /\(\d\/\d\)$/u.exec(text)?.[0])).toEqual(["(1/2)", "(2/2)"]);
  });

  it("is told when the model fails [40:FLW-39]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(fails(401));
    start();
    await intake.admit(message("hello"));
    await heard(1);
    expect(texts()[0]).not.toBe("");
  });

  it("that uses tools ends in one answer [40:FLW-38]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(calls("todo", { todos: [{ id: "1", content: "x", status: "pending" }] }), says("Planned."));
    start();
    await intake.admit(message("plan"));
    await heard(1);
    expect(texts()).toEqual(["Planned."]);
  });
});

describe("an answer", () => {
  it("that the platform takes later is sent again when it says [40:SCL-15]", async () => {
    const { intake, message, server, start, heard, results } = await gateway();
    results.push({ kind: "failed", errorClass: "rate-limited", message: "slow down", retryAfterMs: 1 });
    server.script(says("Hi."));
    start();
    await intake.admit(message("hello"));
    await heard(2);
  });

  it("stays owed over a restart and is sent once [40:SCL-14] [40:A-SCL-3]", async () => {
    const { intake, message, server, start, heard, store, texts } = await gateway();
    server.script(says("Kept."));
    const end = start();
    await intake.admit(message("hello"));
    await heard(1);
    await end();
    start();
    await intake.admit(message("/title"));
    await heard(2);
    expect(texts()[0]).toBe("Kept.");
    expect((await store.outbox.counts()).pending).toBe(0);
  });
});

describe("many chats", () => {
  it("leave a bounded number of conversations warm, and each goes on where it was [40:SCL-19] [40:FLW-43] [40:A-SCL-11]", async () => {
    const { intake, message, server, start, heard, service, texts } = await gateway({ settings: { maxIdle: 5 } });
    server.otherwise((request) => says(`Turn ${request.messages.filter(({ role }) => role === "user").length}.`));
    start();
    const count = 30;
    for (let chat = 0; chat < count; chat += 1) await intake.admit(message("hello", { chatId: String(chat) }));
    await heard(count);
    // Those that are being put away are gone in a moment.
    await expect.poll(() => service.live().length).toBeLessThanOrEqual(5);
    await intake.admit(message("again", { chatId: "0" }));
    await heard(count + 1);
    expect(texts().at(-1)).toBe("Turn 2.");
  });
});
