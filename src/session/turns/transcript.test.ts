import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message, SessionId } from "#conversation";
import { memoryLogger, silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store } from "#store";
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

function transcriptOn(on: Store) {
  const warnings: string[] = [];
  const splits: SessionId[] = [];
  const transcript = new StoredTranscript({
    store: on,
    clock: systemClock,
    logger: memoryLogger(),
    row: { id, source: "cli" },
    hasRow: false,
    onRow: () => Promise.resolve(),
    onSplit: (part) => void splits.push(part),
    warn: (text) => void warnings.push(text),
  });
  return { transcript, warnings, splits };
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
    const failing: Store = {
      ...bind(store),
      sessions: Object.assign(Object.create(store.sessions), {
        continueCompressed: () => Promise.reject(new Error("full")),
      }),
    };
    const { transcript, warnings } = transcriptOn(failing);
    await transcript.record([user("a", "1")]);
    expect(await transcript.split([user("summary", "s")])).toBe(id);
    expect(warnings).toHaveLength(1);
    expect(await store.messages.count(id)).toBe(1);
  });
});

/** The same store as a plain object, so that a test can replace one function of it. */
function bind(real: Store): Store {
  const { sessions, messages, search, inbox, outbox, leases, routes, gatewayTurns, jobs, meta, usage, turns, reports } =
    real;
  const rest = {
    sessions,
    messages,
    search,
    inbox,
    outbox,
    leases,
    routes,
    gatewayTurns,
    jobs,
    meta,
    usage,
    turns,
    reports,
  };
  return {
    ...rest,
    kind: real.kind,
    maintenance: real.maintenance,
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
