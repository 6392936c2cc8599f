import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { calls, says, slow } from "../../test/fakes/model-server/index.ts";
import type { BorrowOptions, OpenSession, SessionEvent } from "./api.ts";
import { type HarnessOptions, openHarness, say } from "./testing/harness.ts";
import { textsOf } from "./testing/test-agent.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

const idleCloseMs = 60_000;

/** A service on a clock that stands still, and the agents that live in it. */
async function lender(options: HarnessOptions = {}) {
  const clock = new FakeClock();
  const live = new Set<SessionId>();
  const harness = await openHarness({
    clock,
    ...options,
    settings: { idleCloseMs, ...options.settings },
    onOpen(request, opened) {
      live.add(request.sessionId);
      const dispose = opened[Symbol.asyncDispose].bind(opened);
      Object.assign(opened, {
        async [Symbol.asyncDispose]() {
          await dispose();
          live.delete(request.sessionId);
        },
      });
    },
  });
  open.push(harness);
  const borrow = (input: Partial<BorrowOptions> = {}): Promise<OpenSession> =>
    harness.service.borrow({ source: "telegram", cwd: harness.folder, isInteractive: true, ...input });
  return { ...harness, clock, live, borrow };
}

describe("a borrowed session", () => {
  it("is the same for everybody who asks for its key or its id, also while it is being opened", async () => {
    const { borrow, live, server } = await lender();
    const [chat, again] = await Promise.all([borrow({ key: "chat:1" }), borrow({ key: "chat:1" })]);
    server.script(says("Hi."));
    const heard: SessionEvent["type"][] = [];
    again.subscribe(({ type }) => void heard.push(type));
    await say(chat, "hello");
    const dashboard = await borrow({ source: "dashboard", resume: chat.info.id });
    expect(live.size).toBe(1);
    expect(textsOf(dashboard.history)).toEqual(["hello", "Hi."]);
    expect(heard).toContain("turn-end");
    expect((await borrow({ key: "chat:2" })).info.id).not.toBe(chat.info.id);
  });

  it("is opened anew from what is stored when another program went on with it [40:SCL-9]", async () => {
    const { borrow, server, store } = await lender();
    server.script(says("Hi."), says("I see both."));
    const chat = await borrow({ key: "chat:1" });
    await say(chat, "hello");
    const { id } = chat.info;
    await chat[Symbol.asyncDispose]();
    await store.messages.append(id, [
      { role: "user", content: "said elsewhere", uid: "u9" },
      { role: "assistant", content: "answered elsewhere", uid: "a9" },
    ]);
    const watching = await borrow({ source: "dashboard", resume: id });
    const anew = await borrow({ key: "chat:1", resume: id, isOvertaken: true });
    expect(textsOf(anew.history)).toEqual(["hello", "Hi.", "said elsewhere", "answered elsewhere"]);
    await say(anew, "and now?");
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("answered elsewhere");
    expect(await watching.submit({ text: "me too" })).toMatchObject({ kind: "refused", isLost: true });
  });

  it("stays the session of its chat when /new begins another conversation", async () => {
    const { borrow, server } = await lender();
    server.script(says("Hi."), says("Again."));
    const chat = await borrow({ key: "chat:1" });
    await say(chat, "hello");
    const first = chat.info.id;
    await chat.submit({ text: "/new" });
    const same = await borrow({ key: "chat:1", resume: first });
    expect(same.info.id).toBe(chat.info.id);
    await say(same, "hello again");
    expect(textsOf((await borrow({ resume: first })).history)).toEqual(["hello", "Hi."]);
  });

  it("is asked by all who look at it, answered by one, and told to all", async () => {
    const { borrow, server } = await lender();
    server.script(calls("clarify", { question: "Which?" }), says("Tea then."));
    const [one, two] = [await borrow({ key: "a" }), await borrow({ key: "a", source: "dashboard" })];
    const [asked, answered] = [new Deferred<string>(), new Deferred<string>()];
    one.subscribe((event) => event.type === "question-response" && answered.resolve(event.answer));
    two.subscribe((event) => event.type === "question-request" && asked.resolve(event.id));
    const end = say(one, "make something");
    two.answer(await asked.promise, "tea");
    expect(await answered.promise).toBe("tea");
    expect((await end).text).toBe("Tea then.");
  });

  it("takes over what a later borrower writes alongside, and says whose words a turn answers", async () => {
    const { borrow, server } = await lender();
    server.script(says("One."), says("Two."));
    const dashboard = await borrow({ key: "chat:1", source: "dashboard" });
    const from: (readonly string[])[] = [];
    const chat = await borrow({
      key: "chat:1",
      alongside: async (_tx, written) => void (written.isFinal && from.push(written.from)),
    });
    await say(dashboard, "a");
    await say(chat, "b");
    expect(from).toEqual([["dashboard"], ["telegram"]]);
  });
});

describe("a session that was given back", () => {
  it("hears nothing more, stays warm, and is put away when its time is over, without an end", async () => {
    const { borrow, live, server, clock, store } = await lender();
    server.script(says("Hi."));
    const chat = await borrow({ key: "chat:1", source: "dashboard" });
    await say(chat, "hello");
    const { id } = chat.info;
    await chat[Symbol.asyncDispose]();
    expect(await chat.submit({ text: "more" })).toMatchObject({ kind: "refused" });
    await clock.advance(idleCloseMs - 1);
    expect(live.size).toBe(1);
    await clock.advance(1);
    await expect.poll(() => live.size).toBe(0);
    expect((await store.sessions.get(id))?.endedAtMs).toBeUndefined();
    const again = await borrow({ key: "chat:1", source: "dashboard", resume: id });
    expect(textsOf(again.history)).toEqual(["hello", "Hi."]);
  });

  it("is not put away while it works, and what waits is answered", async () => {
    const { borrow, live, server, clock } = await lender({ settings: { maxIdle: 0, busyMode: "queue" } });
    server.script(slow(says("First.")), says("Second."));
    const chat = await borrow({ key: "chat:1" });
    await chat.submit({ text: "a" });
    await server.received(1);
    await chat.submit({ text: "b" });
    await chat[Symbol.asyncDispose]();
    await clock.advance(10 * idleCloseMs);
    expect(live.size).toBe(1);
    const { id } = chat.info;
    server.release(1_000);
    await expect.poll(() => live.size).toBe(0);
    expect(textsOf((await borrow({ resume: id })).history)).toEqual(["a", "First.", "b", "Second."]);
  });

  it("is not put away while a program of it runs", async () => {
    let state = "running";
    const processes = { list: () => [{ id: "p", command: "sleep 9", state }] };
    const { borrow, live, clock } = await lender({ services: () => ({ processes }) });
    const chat = await borrow({ key: "chat:1" });
    await chat[Symbol.asyncDispose]();
    await clock.advance(3 * idleCloseMs);
    expect(live.size).toBe(1);
    state = "exited";
    await clock.advance(idleCloseMs);
    await expect.poll(() => live.size).toBe(0);
  });

  it("and put away keeps what it had not sent", async () => {
    const { borrow, store, live, clock } = await lender();
    const id = "20260101_000000_0badf00d" as SessionId;
    await store.messages.append(id, [{ role: "user", content: "hi", uid: "1" }]);
    const key = `session:${id}`;
    const event = { text: "not sent yet", images: [] };
    const waiting = { dedupKey: "x", platform: "session", account: "cli", sessionKey: key, kind: "message" as const };
    await store.inbox.admit({ ...waiting, event });
    const chat = await borrow({ resume: id });
    expect(chat.info.queued).toEqual(["not sent yet"]);
    await chat[Symbol.asyncDispose]();
    await clock.advance(idleCloseMs);
    await expect.poll(() => live.size).toBe(0);
    expect((await borrow({ resume: id })).info.queued).toEqual(["not sent yet"]);
  });

  it("by somebody who lost it to another program is opened anew for the next", async () => {
    const { borrow, server, store } = await lender();
    server.script(slow(says("Too late.")), says("Hi again."));
    const chat = await borrow({ key: "chat:1", isFenced: true });
    const sent = await chat.submit({ text: "hello" });
    await server.received(1);
    const lease = await store.leases.get(`turn:${chat.info.id}`);
    if (lease === undefined) throw new Error("no lease");
    await store.leases.release(lease);
    const theirs = await store.leases.acquire(lease.name, "another", 30_000);
    server.release(1_000);
    if (sent.kind === "turn") await sent.ended;
    if (theirs.kind === "held") await store.leases.release(theirs.lease);
    expect(await chat.submit({ text: "more" })).toMatchObject({ kind: "refused", isLost: true });
    const again = await borrow({ key: "chat:1", resume: chat.info.id, isFenced: true });
    await chat[Symbol.asyncDispose]();
    await say(again, "hello again");
    expect(textsOf(again.history)).toEqual(["hello", expect.stringContaining("no answer"), "hello again", "Hi again."]);
  });
});

describe("five hundred chats", () => {
  it("are not five hundred agents: few stay warm, on one timer, and nothing listens on [40:FLW-43]", async () => {
    const { borrow, live, clock, service } = await lender({ settings: { maxIdle: 20 } });
    const before = process.listenerCount("exit") + getEventListeners(process, "SIGTERM").length;
    let most = 0;
    for (let chat = 0; chat < 500; chat += 1) {
      const session = await borrow({ key: `chat:${chat}` });
      most = Math.max(most, live.size);
      await session[Symbol.asyncDispose]();
    }
    await expect.poll(() => live.size).toBe(20);
    // Those that are being put away, and the one in use, come on top.
    expect(most).toBeLessThanOrEqual(30);
    const asleep = clock.slept.length;
    expect(asleep).toBeLessThanOrEqual(1);
    // The longest unused went first: the last ones are warm.
    const warm = live.size;
    const last = await borrow({ key: "chat:499" });
    expect(live.size).toBe(warm);
    await last[Symbol.asyncDispose]();
    expect(process.listenerCount("exit") + getEventListeners(process, "SIGTERM").length).toBe(before);
    await service[Symbol.asyncDispose]();
    expect(live.size).toBe(0);
  });
});
