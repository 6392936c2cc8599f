import { afterEach, describe, expect, it } from "vitest";
import { calls, fails, reply, says, slow } from "../../../test/fakes/model-server/index.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

const todo = (content: string) => ({ todos: [{ id: "1", content, status: "pending" }] });

describe("while a turn runs", () => {
  it("somebody types, and the answer grows in one message that becomes the answer [40:STR-3] [40:A-STR-1] [40:EVT-9]", async () => {
    const { intake, message, server, start, shown, sent, typing } = await gateway({ live: { streams: true } });
    server.script(slow(says("Hello world, this is a long answer that grows.")));
    start();
    await intake.admit(message("hi"));
    await server.received(1);
    server.release(4);
    await expect.poll(() => shown()[0], { timeout: 15_000 }).toMatch(/▉$/u);
    server.release(1_000);
    await expect.poll(() => shown(), { timeout: 15_000 }).toEqual(["Hello world, this is a long answer that grows."]);
    expect(sent.filter((one) => one.message.kind === "text")).toHaveLength(1);
    expect(typing[0]?.chatId).toBe("1");
  });

  it("text, tools and the answer are three messages in that order [40:STR-9] [40:A-STR-5] [40:A-STR-6]", async () => {
    const { intake, message, server, start, shown } = await gateway({ live: { streams: true, toolProgress: "all" } });
    server.script(reply([says("Let me plan first."), calls("todo", todo("x"))]), slow(says("All planned for you.")));
    start();
    await intake.admit(message("plan"));
    await expect.poll(() => shown().length, { timeout: 15_000 }).toBe(2);
    server.release(1_000);
    await expect.poll(() => shown()[2], { timeout: 15_000 }).toBe("All planned for you.");
    expect(shown()).toEqual(["Let me plan first.", expect.stringContaining("todo"), "All planned for you."]);
  });

  it("edits that are refused are given up, and nothing is missing or doubled [40:STR-4] [40:A-STR-3] [40:SCL-21]", async () => {
    const { intake, message, server, start, shown, results } = await gateway({ live: { streams: true } });
    const flood = { kind: "failed", errorClass: "rate-limited", message: "slow down", retryAfterMs: 1 } as const;
    results.push({ kind: "sent", messageId: "m1" }, flood, flood, flood);
    server.script(slow(says("The whole answer, whatever happens to its edits.")));
    start();
    await intake.admit(message("hi"));
    await server.received(1);
    server.release(4);
    await expect.poll(() => results.length, { timeout: 15_000 }).toBeLessThan(4);
    server.release(1_000);
    await expect.poll(() => shown(), { timeout: 15_000 }).toEqual(["The whole answer, whatever happens to its edits."]);
  });

  it("a message that was cut off by a restart becomes the answer [40:SCL-17]", async () => {
    const { intake, message, server, start, shown, store } = await gateway({ live: { streams: true } });
    server.script(slow(says("Half an answer that is cut.")), says("The whole answer."));
    const end = start();
    await intake.admit(message("hi"));
    await server.received(1);
    server.release(4);
    const step = async () => (await store.gatewayTurns.unfinished("agent:main:fake:dm:1"))[0]?.step;
    await expect.poll(step, { timeout: 15_000 }).toBe("live:m1;");
    await end();
    start();
    await expect.poll(() => shown(), { timeout: 15_000 }).toEqual(["The whole answer."]);
  });

  it("what the model says between tools is sent where answers do not grow; reasoning precedes the answer [40:STR-11]", async () => {
    const { intake, message, server, start, heard, texts } = await gateway({ live: { interimTexts: true } });
    server.script(reply([says("First I plan."), calls("todo", todo("y"))]), says("Done."));
    start();
    await intake.admit(message("go"));
    await heard(2);
    expect(texts()).toEqual(["First I plan.", "Done."]);
  });

  it("a turn that fails says so, though nothing was shown [40:STR-5] [40:FLW-39]", async () => {
    const { intake, message, server, start, heard } = await gateway({ live: { streams: true, toolProgress: "all" } });
    server.script(fails(401));
    start();
    await intake.admit(message("hello"));
    await heard(1);
  });
});
