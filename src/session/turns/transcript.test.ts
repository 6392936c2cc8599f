import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message, SessionId, TurnId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store } from "#store";
import type { Alongside, Written } from "../api.ts";
import { headOf, partsOf } from "../search/lineage.ts";
import { nameSession, tidyTitle } from "./suggest-title.ts";
import { StoredTranscript } from "./transcript.ts";

let store: Store;
beforeEach(async () => {
  store = await openStore({ memory: true }, { clock: systemClock, log: silentLogger });
});
afterEach(() => store[Symbol.asyncDispose]());

const id = "20260101_000000_0badf00d" as SessionId;
const user = (content: string, uid: string): Message => ({ role: "user", content, uid });

function transcriptOn(on: Store, alongside?: Alongside) {
  const warnings: string[] = [];
  const lost: SessionId[] = [];
  const splits: SessionId[] = [];
  const transcript = new StoredTranscript({
    store: on,
    clock: systemClock,
    logger: memoryLogger(),
    row: { id, source: "cli" },
    hasRow: false,
    alongside: () => alongside,
    onRow: () => Promise.resolve(),
    onSplit: (part) => void splits.push(part),
    onLost: () => void lost.push(id),
    warn: (text) => void warnings.push(text),
  });
  return { transcript, warnings, splits, lost };
}

describe("a stored transcript", () => {
  it("stores a message once, however often it is recorded [10:A10.14] [10:LOOP-62]", async () => {
    const { transcript } = transcriptOn(store);
    await transcript.record([user("a", "1")]);
    await transcript.record([user("a", "1"), user("b", "2")]);
    expect((await store.messages.conversation(id)).map((message) => message.uid)).toEqual(["1", "2"]);
    await transcript.forget(["2"]);
    expect(await store.messages.count(id)).toBe(1);
  });

  it("goes on in a new part after compression, with the title's next number [10:COMP-32] [10:COMP-33] [10:COMP-34]", async () => {
    const { transcript, splits } = transcriptOn(store);
    await transcript.record([user("a", "1")]);
    await store.sessions.setTitle(id, "Work");
    const next = await transcript.split([user("summary", "s")]);
    expect(splits).toEqual([next]);
    expect(transcript.sessionId).toBe(next);
    await transcript.record([user("b", "2")]);
    const third = await transcript.split([user("again", "s2")]);
    expect(await store.sessions.get(id)).toMatchObject({ endReason: "compression" });
    expect(await store.sessions.get(next)).toMatchObject({ title: "Work #2", parentSessionId: id });
    expect(await store.sessions.get(third)).toMatchObject({ title: "Work #3" });
    expect((await store.messages.conversation(next)).map((message) => message.uid)).toEqual(["s", "2"]);
    expect(await headOf(store, third)).toBe(id);
    expect(await partsOf(store, next)).toEqual([id, next, third]);
  });

  it("does not end a turn when the store fails; what is owed is written with the next message [10:STORE-4]", async () => {
    let isDown = true;
    const flaky: Store = {
      ...bind(store),
      transaction: (fn, options) => (isDown ? Promise.reject(new Error("disk full")) : store.transaction(fn, options)),
    };
    const { transcript, warnings } = transcriptOn(flaky);
    await transcript.record([user("a", "1")]);
    await transcript.record([user("b", "2")]);
    expect(warnings).toHaveLength(1);
    isDown = false;
    await transcript.record([user("c", "3")]);
    expect((await store.messages.conversation(id)).map((message) => message.uid)).toEqual(["1", "2", "3"]);
  });

  it("stays in the old part, whole, when a new one cannot be begun", async () => {
    let isFull = false;
    const failing: Store = {
      ...bind(store),
      transaction: (fn, options) => (isFull ? Promise.reject(new Error("full")) : store.transaction(fn, options)),
    };
    const { transcript, warnings } = transcriptOn(failing);
    await transcript.record([user("a", "1")]);
    isFull = true;
    expect(await transcript.split([user("summary", "s")])).toBe(id);
    expect(warnings).toHaveLength(1);
    expect(await store.messages.count(id)).toBe(1);
  });
});

const turnId = (name: string) => name as TurnId;
const answer = (content: string, uid: string): Message => ({ role: "assistant", content, uid });
const wanted = (text: string) => ({
  dedupKey: text,
  platform: "telegram",
  account: "bot",
  sessionKey: "k",
  kind: "message" as const,
  event: { text },
});

describe("what a surface writes alongside", () => {
  /** As a gateway would: the last word of a turn is owed to the chat. */
  const owing =
    (seen: Written[] = []): Alongside =>
    async (tx, written) => {
      seen.push(written);
      if (!written.isFinal) return;
      const idempotencyKey = `${written.turnId}:0`;
      const chat = { sessionKey: "k", platform: "telegram", account: "bot", chatId: "1" };
      await tx.outbox.owe([
        { ...chat, idempotencyKey, kind: "send", payload: { text: written.messages.at(-1)?.content } },
      ]);
    };

  it("is stored with the message, and the inbox is left with the words", async () => {
    const seen: Written[] = [];
    const { transcript } = transcriptOn(store, owing(seen));
    const { id: inboxId } = await store.inbox.admit(wanted("hi"));
    transcript.beginTurn({ id: turnId("t1"), inboxIds: [inboxId], from: [] });
    await transcript.record([user("hi", "1")]);
    expect(await store.inbox.get(inboxId)).toMatchObject({ status: "done" });
    await transcript.record([answer("hello", "2")]);
    expect(await store.outbox.byKey("t1:0")).toMatchObject({ payload: { text: "hello" }, status: "pending" });
    expect(seen.map(({ isFinal, inboxIds }) => ({ isFinal, inboxIds }))).toEqual([
      { isFinal: false, inboxIds: [inboxId] },
      { isFinal: true, inboxIds: [] },
    ]);
    // Compression writes a history again; nothing of it is new.
    await transcript.record([user("hi", "1"), answer("hello", "2")]);
    expect(seen).toHaveLength(2);
  });

  it("takes the message with it when it fails, and both come with the next write, turn by turn", async () => {
    let isDown = true;
    const owe = owing();
    const { transcript } = transcriptOn(store, async (tx, written) => {
      await owe(tx, written);
      if (isDown) throw new Error("disk full");
    });
    const { id: inboxId } = await store.inbox.admit(wanted("hi"));
    transcript.beginTurn({ id: turnId("t1"), inboxIds: [inboxId], from: [] });
    await transcript.record([user("hi", "1")]);
    await transcript.record([answer("hello", "2")]);
    expect(await store.messages.count(id)).toBe(0);
    expect(await store.outbox.counts()).toMatchObject({ pending: 0 });
    expect(await store.inbox.get(inboxId)).toMatchObject({ status: "pending" });
    isDown = false;
    transcript.beginTurn({ id: turnId("t2"), inboxIds: [], from: [] });
    await transcript.record([user("again", "3")]);
    expect((await store.messages.conversation(id)).map(({ uid }) => uid)).toEqual(["1", "2", "3"]);
    expect(await store.outbox.byKey("t1:0")).toMatchObject({ payload: { text: "hello" } });
    expect(await store.inbox.get(inboxId)).toMatchObject({ status: "done" });
  });

  it("is refused with the message once another program has the session", async () => {
    const { transcript, warnings, lost } = transcriptOn(store, owing());
    const taken = await store.leases.acquire("turn:x", "me", 1);
    if (taken.kind !== "held") throw new Error("not held");
    transcript.beginTurn({ id: turnId("t1"), inboxIds: [], from: [], fence: taken.lease });
    await transcript.record([user("hi", "1")]);
    await store.leases.release(taken.lease);
    await store.leases.acquire("turn:x", "another", 30_000);
    await transcript.record([answer("hello", "2")]);
    await transcript.record([answer("still here", "3")]);
    expect(await transcript.flush()).toBe(false);
    expect((await store.messages.conversation(id)).map(({ uid }) => uid)).toEqual(["1"]);
    expect(await store.outbox.counts()).toMatchObject({ pending: 0 });
    expect({ warnings, lost }).toEqual({ warnings: [], lost: [id] });
  });
});

/** The same store as a plain object, so that a test can replace one function of it. */
function bind(real: Store): Store {
  const {
    sessions,
    messages,
    search,
    inbox,
    outbox,
    leases,
    routes,
    gatewayTurns,
    traces,
    jobs,
    documents,
    meta,
    usage,
    money,
    turns,
    reports,
  } = real;
  const rest = {
    sessions,
    messages,
    search,
    inbox,
    outbox,
    leases,
    routes,
    gatewayTurns,
    traces,
    jobs,
    documents,
    meta,
    usage,
    money,
    turns,
    reports,
  };
  return {
    ...rest,
    kind: real.kind,
    maintenance: real.maintenance,
    signals: real.signals,
    transaction: (fn, options) => real.transaction(fn, options),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

describe("a title", () => {
  const history: readonly Message[] = [user("How do I deploy?", "1"), { role: "assistant", content: "Like this." }];
  const signal = new AbortController().signal;
  const naming = (suggestion: string | undefined) => ({
    store,
    logger: silentLogger,
    suggest: () => Promise.resolve(suggestion),
  });

  it("is found after the first exchange, tidied, and numbered when it is taken [10:STORE-15]", async () => {
    await store.messages.append(id, history);
    const other = "20260101_000000_00000001" as SessionId;
    await store.messages.append(other, history);
    await store.sessions.setTitle(other, "Deploying the app");
    expect(await nameSession(naming('Title: "Deploying the app"'), { id, history }, signal)).toBe(
      "Deploying the app #2",
    );
  });

  it("of a person is never replaced, and a long conversation is left alone [10:STORE-15]", async () => {
    await store.messages.append(id, history);
    const long = [...history, user("b", "2"), user("c", "3")];
    expect(await nameSession(naming("Late"), { id, history: long }, signal)).toBeUndefined();
    expect(await nameSession(naming("Early"), { id, history: history.slice(0, 1) }, signal)).toBeUndefined();
    await store.sessions.setTitle(id, "Mine");
    expect(await nameSession(naming("Other"), { id, history }, signal)).toBeUndefined();
    expect((await store.sessions.get(id))?.title).toBe("Mine");
  });

  it("is one line of at most 80 characters [10:STORE-15]", () => {
    expect(tidyTitle("“Fix the build”\nmore")).toBe("Fix the build");
    expect(tidyTitle("title: `Fix`")).toBe("Fix");
    expect(tidyTitle("## Title: Fix the #2 build")).toBe("Fix the #2 build");
    expect(tidyTitle("x".repeat(90))).toBe(`${"x".repeat(77)}...`);
    expect(tidyTitle("x".repeat(80))).toBe("x".repeat(80));
    expect(tidyTitle(" \n ")).toBe("");
  });
});
