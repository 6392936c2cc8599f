import { afterEach, describe, expect, it } from "vitest";
import { isValid } from "#conversation";
import { Deferred } from "#foundation/lifecycle/deferred";
import { calls, says, slow } from "../../../test/fakes/model-server/index.ts";
import { type HarnessOptions, openHarness, say } from "../testing/harness.ts";
import { textsOf } from "../testing/test-agent.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function harness(input: HarnessOptions = {}) {
  const one = await openHarness(input);
  open.push(one);
  return one;
}

describe("a session", () => {
  it("answers, stores the exchange, and records the turn and its usage [10:LOOP-62] [10:STORE-16]", async () => {
    const { open, server, store } = await harness();
    server.script(says("Hi"));
    const session = await open();
    const end = await say(session, "Hello");
    expect(end).toMatchObject({ text: "Hi", completed: true, exitReason: "text_response", apiCalls: 1 });
    expect(end.usage.output).toBeGreaterThan(0);
    expect(textsOf(await store.messages.conversation(session.info.id))).toEqual(["Hello", "Hi"]);
    expect(await store.turns.list(session.info.id)).toMatchObject([{ exitReason: "text_response", apiCalls: 1 }]);
    const record = await store.sessions.get(session.info.id);
    expect(record).toMatchObject({ source: "cli", messageCount: 2, apiCallCount: 1, model: "test-model" });
    expect(record?.usage.output).toBe(end.usage.output);
  });

  it("has an id that says when it began [10:LOOP-5] [20:R11.15]", async () => {
    const session = await (await harness()).open();
    expect(session.info.id).toMatch(/^\d{8}_\d{6}_[0-9a-f]{8}$/);
  });

  it("leaves nothing in the store when nothing was said", async () => {
    const { open, store } = await harness();
    const session = await open();
    await session[Symbol.asyncDispose]();
    expect(await store.sessions.list()).toEqual([]);
  });
});

describe("a message during a turn", () => {
  it("interrupts it and is answered next; the open answer is kept with a mark [20:A10.8] [20:R10.28] [10:LOOP-21] [10:A10.13]", async () => {
    const { open, server, store } = await harness();
    server.script(slow(says("A long answer.")), says("Done X."));
    const session = await open();
    const first = await session.submit({ text: "Begin" });
    await server.received(1);
    const end = await say(session, "stop, do X");
    expect(end.text).toBe("Done X.");
    expect(first.kind === "turn" && (await first.ended)).toMatchObject({ interrupted: true });
    const stored = await store.messages.conversation(session.info.id);
    expect(textsOf(stored)).toEqual([
      "Begin",
      expect.stringMatching(/\(interrupted by the user\)$/),
      "stop, do X",
      "Done X.",
    ]);
    const [turn] = await store.turns.list(session.info.id);
    expect(turn).toMatchObject({ isInterrupted: true, exitReason: expect.stringMatching(/^interrupted_/) });
  });

  it("is not touched by an interrupt that came while nothing ran [10:LOOP-23]", async () => {
    const { open, server } = await harness();
    server.script(says("One."), says("Two."));
    const session = await open();
    session.interrupt();
    expect(await say(session, "a")).toMatchObject({ text: "One.", interrupted: false });
    session.interrupt("late");
    expect(await say(session, "b")).toMatchObject({ text: "Two.", interrupted: false });
  });

  it("is stopped by an interrupt that came before it had begun, and only it [10:LOOP-23]", async () => {
    const release = new Deferred<void>();
    const refresh = async (): Promise<undefined> => void (await release.promise);
    const { open, server } = await harness({ services: () => ({ tools: { refresh } }) });
    const session = await open();
    const submission = await session.submit({ text: "a" });
    session.interrupt();
    release.resolve();
    expect(submission.kind === "turn" && (await submission.ended)).toMatchObject({ interrupted: true });
    expect(server.requests).toEqual([]);
    server.script(says("Two."));
    expect(await say(session, "b")).toMatchObject({ text: "Two.", interrupted: false });
  });

  it("is not stopped by an interrupt of one that could not begin [10:LOOP-23]", async () => {
    const release = new Deferred<void>();
    let isBroken = true;
    const refresh = async (): Promise<undefined> => {
      await release.promise;
      if (isBroken) throw new Error("no room");
    };
    const { open, server } = await harness({ services: () => ({ tools: { refresh, isCurrent: false } }) });
    const session = await open();
    const submission = await session.submit({ text: "a" });
    session.interrupt();
    release.resolve();
    expect(submission.kind === "turn" && (await submission.ended)).toMatchObject({ failed: true });
    isBroken = false;
    server.script(says("Two."));
    expect(await say(session, "b")).toMatchObject({ text: "Two.", interrupted: false });
  });

  it("joins what is typed while the interrupt takes hold [20:R10.29]", async () => {
    const { open, server } = await harness();
    server.script(slow(says("A long answer.")), says("Both."));
    const session = await open();
    await session.submit({ text: "Begin" });
    await server.received(1);
    const [one, two] = await Promise.all([session.submit({ text: "do X" }), session.submit({ text: "and Y" })]);
    await session.settled();
    const ends = await Promise.all([one, two].map((s) => (s.kind === "turn" ? s.ended : undefined)));
    expect(ends.map((end) => end?.text)).toEqual(["Both.", "Both."]);
    expect((await server.received(2)).messages.at(-1)).toMatchObject({ role: "user" });
    expect(textsOf(session.history)).toContain("do X\nand Y");
  });

  it("waits for its end in queue mode [20:A10.9] [20:R10.29]", async () => {
    const { open, server } = await harness({ settings: { busyMode: "queue" } });
    server.script(slow(says("First.")), says("Second."));
    const session = await open();
    await session.submit({ text: "Begin" });
    await server.received(1);
    const queued = await session.submit({ text: "stop, do X" });
    expect(queued).toMatchObject({ kind: "queued", position: 1 });
    expect(session.info.queued).toEqual(["stop, do X"]);
    server.release(1_000);
    await session.settled();
    expect(textsOf(session.history)).toEqual(["Begin", "First.", "stop, do X", "Second."]);
    expect(session.info.queued).toEqual([]);
  });

  it("is handed to the model with the last tool result in steer mode [20:A10.10] [20:R10.33] [10:LOOP-25]", async () => {
    const { open, server, store } = await harness({ settings: { busyMode: "steer" } });
    server.script(slow(calls("terminal", { command: "ls" })), says("With tabs."));
    const session = await open();
    await session.submit({ text: "Begin" });
    await server.received(1);
    expect(await session.submit({ text: "use tabs" })).toEqual({ kind: "steered" });
    server.release(1_000);
    await session.settled();
    const stored = await store.messages.conversation(session.info.id);
    expect(stored.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(stored[2]?.content).toMatch(/User guidance: use tabs$/);
    expect(await store.inbox.counts()).toMatchObject({ pending: 0, claimed: 0, done: 2 });
  });

  it("becomes the next turn when guidance came too late [20:R10.33]", async () => {
    const { open, server } = await harness({ settings: { busyMode: "steer" } });
    server.script(slow(says("First.")), says("With tabs."));
    const session = await open();
    await session.submit({ text: "Begin" });
    await server.received(1);
    await session.submit({ text: "use tabs" });
    server.release(1_000);
    await session.settled();
    expect(textsOf(session.history)).toEqual(["Begin", "First.", "use tabs", "With tabs."]);
    expect(isValid(session.history)).toBe(true);
  });

  it("with the same key is one message", async () => {
    const { open, server } = await harness();
    server.script(says("Once."));
    const session = await open();
    const admission = { key: "k1" };
    await session.submit({ text: "Hello", admission });
    expect(await session.submit({ text: "Hello", admission })).toEqual({ kind: "duplicate" });
    await session.settled();
    expect(textsOf(session.history)).toEqual(["Hello", "Once."]);
  });

  it("can be taken out of the queue again [20:R10.31]", async () => {
    const { open, server, store } = await harness({ settings: { busyMode: "queue" } });
    server.script(slow(says("First.")));
    const session = await open();
    await session.submit({ text: "Begin" });
    await server.received(1);
    await session.submit({ text: "later" });
    expect(session.unqueue(0)).toBe("later");
    expect(session.unqueue(0)).toBeUndefined();
    server.release(1_000);
    await session.settled();
    expect(textsOf(session.history)).toEqual(["Begin", "First."]);
    await session[Symbol.asyncDispose]();
    expect(await store.inbox.counts()).toMatchObject({ pending: 0, dropped: 1 });
  });
});
