import { afterEach, describe, expect, it } from "vitest";
import type { TurnId } from "#conversation";
import { Deferred } from "#foundation/lifecycle/deferred";
import { calls, reply, says, slow } from "../../../test/fakes/model-server/index.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

const key = "agent:main:fake:dm:1";
const todo = { todos: [{ id: "1", content: "x", status: "pending" }] };

describe("a turn that was cut off", () => {
  it("goes on at the next start with what is stored of it, and is answered once [40:SCL-10] [40:PRC-31] [40:PRC-32]", async () => {
    const { intake, message, server, start, heard, texts, store } = await gateway();
    server.script(calls("todo", todo), slow(says("Never seen.")), says("Planned."));
    const end = start();
    await intake.admit(message("plan"));
    await server.received(2);
    await end();
    expect(await store.inbox.counts()).toMatchObject({ pending: 0, claimed: 0, done: 1 });
    expect(await store.gatewayTurns.unfinished(key)).toHaveLength(1);
    start();
    await heard(1);
    expect(texts()).toEqual(["Planned."]);
    expect(server.requests.length).toBe(3);
    expect(JSON.stringify(server.requests[2])).toContain("plan");
    expect(await store.gatewayTurns.unfinished(key)).toEqual([]);
  });

  it("is given up when it ends the program again and again, and the person is told once [40:SCL-11] [40:A-SCL-12]", async () => {
    const { intake, message, server, start, heard, texts, store } = await gateway();
    server.script(slow(says("1")), slow(says("2")), slow(says("3")));
    await intake.admit(message("poison"));
    for (const attempt of [1, 2, 3]) {
      const end = start();
      await server.received(attempt);
      await end();
    }
    start();
    await heard(1);
    expect(texts()[0]).toContain("could not be answered");
    expect(server.requests.length).toBe(3);
    expect(await store.gatewayTurns.unfinished(key)).toEqual([]);
    expect(await store.inbox.list({ status: "dead" })).toHaveLength(1);
  });

  it("before its words were stored waits again; after three times it is dead, with one apology, and what is behind it goes on [40:SCL-8] [40:SCL-10] [40:A-SCL-12]", async () => {
    const { intake, message, start, heard, texts, store, server } = await gateway();
    await intake.admit(message("poison"));
    const [row] = await store.inbox.pending(key);
    for (const attempt of [1, 2]) {
      await store.inbox.claim([row?.id ?? 0], `t${attempt}` as TurnId);
      await store.inbox.release(`t${attempt}` as TurnId, { maxAttempts: 3 });
    }
    // A third program has it in work, and is gone.
    await store.inbox.claim([row?.id ?? 0], "t3" as TurnId);
    await store.leases.acquire(`chat:${key}`, "elsewhere/1/gone", 1);
    await intake.admit(message("/title"));
    start();
    await heard(2);
    expect(texts()[0]).toContain(`reference ${row?.id}`);
    expect(await store.inbox.list({ status: "dead" })).toHaveLength(1);
    expect(server.requests.length).toBe(0);
  });
});

describe("a program that ends with several chats in work", () => {
  const chatIds = ["1", "2", "3", "4"];

  it("counts against none of them; each goes on alone, and nothing is given up [40:SCL-11] [40:A-SCL-1]", async () => {
    const { intake, message, server, start, heard, store, sent, texts } = await gateway();
    server.otherwise(slow(says("Never seen.")));
    for (const chatId of chatIds) await intake.admit(message(`hello ${chatId}`, { chatId }));
    const first = start();
    await server.received(4);
    await first();
    for (const attempt of [5, 6]) {
      const next = start();
      // One is served alone, and the others wait for it.
      await server.received(attempt);
      await next();
      expect(server.requests.length).toBe(attempt);
    }
    server.otherwise(says("Here you are."));
    start();
    await heard(4);
    expect(new Set(sent.map(({ to }) => to.chatId))).toEqual(new Set(chatIds));
    expect(new Set(texts())).toEqual(new Set(["Here you are."]));
    expect(await store.inbox.counts()).toMatchObject({ pending: 0, claimed: 0, done: 4, dead: 0 });
  });

  it("by one of them ends that one after three times alone, and the others are answered [40:SCL-11] [40:A-SCL-12]", async () => {
    const { intake, message, server, start, heard, sent, store, texts } = await gateway();
    let ended = new Deferred<void>();
    let isTogether = true;
    server.otherwise((request) => {
      const isPoison = JSON.stringify(request.messages).includes("poison");
      if (isPoison) ended.resolve();
      return isPoison || isTogether ? slow(says("Never seen.")) : says("All is well.");
    });
    for (const chatId of chatIds)
      await intake.admit(message(chatId === "2" ? "poison" : `hello ${chatId}`, { chatId }));
    const first = start();
    await server.received(4);
    isTogether = false;
    await first();
    for (const _ of [1, 2, 3]) {
      ended = new Deferred<void>();
      const end = start();
      await ended.promise;
      await end();
    }
    start();
    await heard(4);
    const told = new Map(sent.map(({ to }, index) => [to.chatId, texts()[index]]));
    expect(told.get("2")).toContain("could not be answered");
    for (const chatId of ["1", "3", "4"]) expect(told.get(chatId)).toBe("All is well.");
    expect(await store.inbox.list({ status: "dead" })).toMatchObject([{ attempts: 3 }]);
    const asked = server.requests.filter(({ messages }) => JSON.stringify(messages).includes("poison"));
    expect(asked).toHaveLength(4);
  });
});

describe("the last words of a turn", () => {
  it("are owed once when the model was cut short and asked to go on [40:A-SCL-3]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(reply([says("The first half and ")], { finish: "length" }), says("the second."), says("Next."));
    start();
    await intake.admit(message("long"));
    await heard(1);
    await intake.admit(message("next"));
    await heard(2);
    expect(texts()).toEqual([expect.stringContaining("the second."), "Next."]);
  });

  it("are not what an interrupted turn had said: the next message is answered alone [40:A-FLW-4] [40:FLW-10] [40:FLW-17] [40:FLW-19]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(slow(says("First.")), says("Second."));
    start();
    await intake.admit(message("A"));
    await server.received(1);
    await intake.admit(message("B"));
    await heard(2);
    expect(texts()).toEqual([expect.stringContaining("Stopping what I was doing"), "Second."]);
    // Nothing of the first answer is in the conversation, and the new words are what the model is asked.
    const said = server.requests[1]?.messages.filter(({ role }) => role !== "system") ?? [];
    expect(JSON.stringify(said)).not.toContain("First.");
    expect(JSON.stringify(said.at(-1))).toContain("B");
    expect(server.requests.length).toBe(2);
  });
});
