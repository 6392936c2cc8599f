import { afterEach, describe, expect, it } from "vitest";
import type { TurnId } from "#conversation";
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

  it("before its words were stored waits again; after three times it is dead, with one apology [40:SCL-10] [40:A-SCL-12]", async () => {
    const { intake, message, start, heard, texts, store, server } = await gateway();
    await intake.admit(message("poison"));
    const [row] = await store.inbox.pending(key);
    for (const attempt of [1, 2]) {
      await store.inbox.claim([row?.id ?? 0], `t${attempt}` as TurnId);
      await store.inbox.release(`t${attempt}` as TurnId, { maxAttempts: 3 });
    }
    await store.inbox.claim([row?.id ?? 0], "t3" as TurnId);
    await intake.admit(message("/title"));
    start();
    await heard(2);
    expect(texts()[0]).toContain(`reference ${row?.id}`);
    expect(await store.inbox.list({ status: "dead" })).toHaveLength(1);
    expect(server.requests.length).toBe(0);
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

  it("are not what an interrupted turn had said: the next message is answered alone [40:A-FLW-4] [40:FLW-19]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway();
    server.script(slow(says("First.")), says("Second."));
    start();
    await intake.admit(message("A"));
    await server.received(1);
    await intake.admit(message("B"));
    await heard(2);
    expect(texts()).toEqual([expect.stringContaining("I stop what I was doing"), "Second."]);
  });
});
