import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { isValid, newToolCall, type SessionId } from "#conversation";
import { HermesHome } from "#foundation/files/paths";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { leaseOwner, takeLease } from "#store";
import { hang, says, slow } from "../../../test/fakes/model-server/index.ts";
import { type HarnessOptions, openHarness, say } from "../testing/harness.ts";
import { textsOf } from "../testing/test-agent.ts";
import { writeSessionLog } from "./session-log.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function harness(input: HarnessOptions = {}) {
  const one = await openHarness(input);
  open.push(one);
  return one;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "hermes-session-"));
  open.push({ [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) });
  return path;
}

const old = "20260101_000000_0badf00d" as SessionId;

describe("a session that is opened again", () => {
  it("goes on with its history, its prompt and its figures", async () => {
    const { open, server, store } = await harness();
    server.script(says("One."), says("Two."));
    const first = await open();
    await say(first, "First");
    const { id } = first.info;
    await first[Symbol.asyncDispose]();
    expect(await store.sessions.get(id)).toMatchObject({ endReason: "user_exit", systemPrompt: "You are Hermes." });
    const again = await open({ resume: id });
    expect(textsOf(again.history)).toEqual(["First", "One."]);
    expect(again.info.usage.output).toBeGreaterThan(0);
    expect(again.info.contextTokens).toBe(first.info.contextTokens);
    expect(again.info.contextTokens).toBeGreaterThan(0);
    await say(again, "Second");
    expect(textsOf(await store.messages.conversation(id))).toEqual(["First", "One.", "Second", "Two."]);
    expect((await store.sessions.get(id))?.endReason).toBeUndefined();
  });

  it("is found by id, by the beginning of it and by title [20:R11.14] [10:STORE-10] [10:STORE-14]", async () => {
    const { service, store } = await harness();
    await store.messages.append(old, [{ role: "user", content: "x" }], { source: "cli" });
    await store.sessions.setTitle(old, "Deploy");
    expect(await service.find("20260101_000000")).toBe(old);
    expect(await service.find(old)).toBe(old);
    expect(await service.find("Deploy")).toBe(old);
    expect(await service.find("Other")).toBeUndefined();
    expect((await service.newest("cli"))?.id).toBe(old);
    expect(await service.newest("telegram")).toBeUndefined();
  });

  it("is refused when it does not exist", async () => {
    const { open } = await harness();
    await expect(open({ resume: "20200101_000000_00000000" as SessionId })).rejects.toThrow(/There is no session/);
  });

  it("tells the model that a call was cut off, and repeats nothing", async () => {
    const { open, server, store, events } = await harness();
    const call = newToolCall({ id: "c1", name: "terminal", arguments: '{"command":"deploy"}' });
    await store.messages.append(old, [
      { role: "user", content: "Deploy it", uid: "u1" },
      { role: "assistant", content: "", tool_calls: [call], uid: "a1" },
    ]);
    server.script(says("Checked."));
    const session = await open({ resume: old });
    expect(events).toContainEqual(expect.objectContaining({ type: "notice", level: "warn" }));
    await say(session, "What happened?");
    const stored = await store.messages.conversation(old);
    expect(stored.map((message) => message.role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
    expect(stored[2]?.content).toMatch(/may or may not have taken effect/);
    expect(isValid(stored)).toBe(true);
    const again = await open({ resume: old });
    expect(again.history).toHaveLength(5);
  });
});

describe("a turn that was cut off", () => {
  const broken = [
    { role: "user", content: "Deploy it", uid: "u1" },
    {
      role: "assistant",
      content: "",
      tool_calls: [newToolCall({ id: "c1", name: "terminal", arguments: '{"command":"deploy"}' })],
      uid: "a1",
    },
  ] as const;

  it("goes on with /continue: what is stored is sent, and what may have taken effect is not repeated", async () => {
    const { open, server, store, events } = await harness();
    await store.messages.append(old, broken);
    server.script(says("It is deployed."));
    const session = await open({ resume: old });
    expect(events).toContainEqual(expect.objectContaining({ text: expect.stringContaining("/continue") as string }));
    expect(await store.messages.conversation(old)).toHaveLength(2);
    const submission = await session.submit({ text: "/continue" });
    if (submission.kind !== "command" || submission.view.kind !== "turn") throw new Error("no turn");
    expect(await submission.view.ended).toMatchObject({ text: "It is deployed.", completed: true });
    const stored = await store.messages.conversation(old);
    expect(stored.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(stored[2]?.content).toMatch(/may or may not have taken effect/);
    expect((await server.received(1)).messages).toHaveLength(4);
    expect(await session.submit({ text: "/continue" })).toMatchObject({
      kind: "command",
      view: { kind: "text", text: expect.stringContaining("nothing to continue") as string },
    });
  });

  it("goes on with a message that never got an answer, without sending it twice", async () => {
    const { open, server, store } = await harness();
    await store.messages.append(old, [{ role: "user", content: "Hello?", uid: "u1" }]);
    server.script(says("Here."));
    const session = await open({ resume: old });
    const submission = session.continueTurn();
    if (submission?.kind !== "turn") throw new Error("no turn");
    expect((await submission.ended).text).toBe("Here.");
    expect(textsOf(await store.messages.conversation(old))).toEqual(["Hello?", "Here."]);
    expect(session.continueTurn()).toBeUndefined();
  });
});

describe("a session that compression has cut", () => {
  it("goes on in its new part, under the next number, and is found by its old id [10:COMP-32] [10:STORE-10]", async () => {
    const summary = { role: "user", content: "[CONTEXT SUMMARY]: so far", uid: "s1" } as const;
    const { open, server, store, service, events } = await harness({
      services: ({ transcript }, { conversation }) => ({
        context: {
          async compress() {
            conversation.sessionId = await transcript.split([summary]);
            conversation.history = [summary];
            return { before: 10, after: 5 };
          },
        },
      }),
    });
    server.script(says("One."), says("Two."), says("Three."));
    const session = await open({ title: "Work" });
    await say(session, "First");
    const first = session.info.id;
    await session.submit({ text: "/compress" });
    const second = session.info.id;
    expect(second).not.toBe(first);
    const end = await say(session, "Second");
    expect(end.sessionId).toBe(second);
    expect(textsOf(await store.messages.conversation(second))).toEqual(["[CONTEXT SUMMARY]: so far", "Second", "Two."]);
    expect(textsOf(await store.messages.conversation(first))).toEqual(["First", "One."]);
    expect(events.at(-1)).toMatchObject({
      type: "session-changed",
      info: { id: second, rootId: first, title: "Work #2" },
    });
    expect(await service.find("Work")).toBe(second);
    expect(await service.find(first)).toBe(second);
    await session[Symbol.asyncDispose]();
    const again = await open({ resume: first });
    expect(again.info).toMatchObject({ id: second, rootId: first });
    expect((await say(again, "Third")).text).toBe("Three.");
    expect((await store.turns.list(second)).map((turn) => turn.exitReason)).toEqual(["text_response", "text_response"]);
  });
});

describe("a kill", () => {
  it("loses no message that was taken in: not the running one, not the waiting one", async () => {
    const path = join(await folder(), "state.db");
    const clock = new FakeClock();
    const first = await harness({ location: { path }, clock, settings: { busyMode: "queue" } });
    first.server.script(hang());
    const session = await first.open();
    await session.submit({ text: "Running" });
    await first.server.received(1);
    await session.submit({ text: "Waiting" });
    const { id } = session.info;

    // Nothing is closed: the second program finds what the first left, once the lease of the first has run out.
    const second = await harness({ location: { path }, clock: new FakeClock(clock.now() + 120_000) });
    second.server.script(says("Answered both."), says("And the last."));
    const again = await second.open({ resume: id });
    expect(textsOf(again.history)).toEqual(["Running"]);
    expect(again.info.queued).toEqual(["Waiting"]);
    await say(again, "Go on");
    const closed = expect.stringContaining("no answer") as string;
    expect(textsOf(again.history)).toEqual(["Running", closed, "Waiting", "Answered both.", "Go on", "And the last."]);
    expect(await second.store.inbox.counts()).toMatchObject({ pending: 0, claimed: 0, done: 3 });
  });

  it("before the words became a message sends them when the session is opened where nobody can be asked", async () => {
    const { open, server, store } = await harness();
    await store.messages.append(old, [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ]);
    await store.inbox.admit({
      dedupKey: `session:${old}:k`,
      platform: "session",
      account: "cli",
      sessionKey: `session:${old}`,
      kind: "message",
      event: { text: "Left over", images: [] },
    });
    server.script(says("Done."));
    const session = await open({ resume: old, isInteractive: false });
    await session.settled();
    expect(textsOf(session.history)).toEqual(["a", "b", "Left over", "Done."]);
  });

  it("while another program works here leaves that program alone and keeps the message", async () => {
    const path = join(await folder(), "state.db");
    const first = await harness({ location: { path } });
    first.server.script(slow(says("Mine.")));
    const session = await first.open();
    const running = await session.submit({ text: "Hello" });
    await first.server.received(1);
    const second = await harness({ location: { path } });
    const other = await second.open({ resume: session.info.id });
    expect(second.events).toContainEqual(expect.objectContaining({ type: "notice", level: "warn" }));
    const end = await say(other, "Me too");
    expect(end).toMatchObject({ failed: true, errorClass: "session_busy" });
    expect(await second.store.inbox.counts()).toMatchObject({ pending: 1 });
    first.server.release(1_000);
    expect(running.kind === "turn" && (await running.ended).text).toBe("Mine.");
  });
});

describe("the turn lease", () => {
  it("of a program that died on this machine is taken over at once; of a living one it is not", async () => {
    const { store, logger } = await harness();
    const deps = { store, logger, clock: new FakeClock(), owner: leaseOwner() };
    await store.leases.acquire("turn:dead", leaseOwner().replace(/\/\d+\//u, "/999999999/"), 600_000);
    await store.leases.acquire("turn:alive", leaseOwner(), 600_000);
    await store.leases.acquire("turn:elsewhere", "other-machine/1/0000", 600_000);
    const taken = await takeLease(deps, "turn:dead", () => undefined);
    expect(taken.kind).toBe("held");
    if (taken.kind === "held") await taken[Symbol.asyncDispose]();
    expect((await takeLease(deps, "turn:alive", () => undefined)).kind).toBe("busy");
    expect((await takeLease(deps, "turn:elsewhere", () => undefined)).kind).toBe("busy");
  });

  it("that is lost ends the turn", async () => {
    const clock = new FakeClock();
    const { store, logger } = await harness({ clock });
    const lost = new Deferred<void>();
    const lease = await takeLease({ store, logger, clock, owner: "a" }, "turn:x", () => lost.resolve());
    const known = await store.leases.get("turn:x");
    if (known !== undefined) await store.leases.release(known);
    await store.leases.acquire("turn:x", "b", 60_000);
    await clock.advance(11_000);
    await lost.promise;
    if (lease.kind === "held") await lease[Symbol.asyncDispose]();
    expect(await store.leases.get("turn:x")).toMatchObject({ owner: "b" });
  });
});

describe("the session log", () => {
  it("is a readable copy that never gets shorter [10:LOOP-63]", async () => {
    const { open, server, folder: location } = await harness({ settings: { writesSessionLog: true } });
    server.script(says("Hi"));
    const session = await open();
    await say(session, "Hello");
    await session[Symbol.asyncDispose]();
    const home = new HermesHome(join(location, "home"));
    const file = join(home.sessions, `session_${session.info.id}.json`);
    const log = JSON.parse(await readFile(file, "utf8"));
    expect(Object.keys(log)).toEqual([
      "session_id",
      "model",
      "base_url",
      "platform",
      "session_start",
      "last_updated",
      "system_prompt",
      "tools",
      "message_count",
      "messages",
    ]);
    expect(log).toMatchObject({ message_count: 2, platform: "cli", system_prompt: "You are Hermes." });
    const facts = {
      sessionId: session.info.id,
      model: "m",
      baseUrl: "",
      platform: "cli",
      startedAtMs: 0,
      nowMs: 0,
      systemPrompt: "",
      tools: [],
    };
    expect(await writeSessionLog(home.sessions, { ...facts, messages: [{ role: "user", content: "x" }] })).toBe(false);
    expect(JSON.parse(await readFile(file, "utf8")).message_count).toBe(2);
  });
});
