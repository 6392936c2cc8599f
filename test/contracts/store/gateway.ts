import { describe, expect, it } from "vitest";
import { LeaseLostError, type NewOutboxEntry } from "#store";
import type { NewInboxEntry } from "#store/testing";
import { type StoreSubject, session, turn, useStore } from "./subject.ts";

const event = (dedupKey: string, sessionKey = "k"): NewInboxEntry => ({
  dedupKey,
  platform: "telegram",
  account: "bot",
  sessionKey,
  kind: "message",
  event: { text: dedupKey },
});

const owed = (idempotencyKey: string, chatId = "1"): NewOutboxEntry => ({
  idempotencyKey,
  sessionKey: "k",
  platform: "telegram",
  account: "bot",
  chatId,
  kind: "send",
  payload: { text: idempotencyKey },
});

const dayMs = 86_400_000;

export function gatewayContract(subject: StoreSubject): void {
  inboxContract(subject);
  outboxContract(subject);
  leaseContract(subject);
  routeContract(subject);
  traceContract(subject);
  signalContract(subject);
}

function inboxContract(subject: StoreSubject): void {
  describe("inbox", () => {
    const fixture = useStore(subject);

    it("takes an event once and moves the cursor with it [40:SCL-4] [40:SCL-5] [40:A-SCL-2]", async () => {
      const { inbox } = fixture().store;
      const cursor = { platform: "telegram", account: "bot", name: "offset", value: "7" };
      const first = await inbox.admit(event("e1"), cursor);
      expect(first).toMatchObject({ kind: "admitted" });
      const second = await inbox.admit(event("e1"), { ...cursor, value: "8" });
      expect(second).toEqual({ kind: "duplicate", id: first.id, status: "pending" });
      expect(await inbox.cursor("telegram", "bot", "offset")).toBe("8");
      expect(await inbox.cursor("telegram", "bot", "other")).toBeUndefined();
      expect(await inbox.get(first.id)).toMatchObject({ event: { text: "e1" }, status: "pending", attempts: 0 });
    });

    it("hands entries to a turn in order, once [40:SCL-18]", async () => {
      const { store } = fixture();
      const ids: number[] = [];
      for (const key of ["a", "b", "c"]) ids.push((await store.inbox.admit(event(key))).id);
      await store.inbox.admit(event("x", "other"));
      expect((await store.inbox.pending("k")).map((entry) => entry.dedupKey)).toEqual(["a", "b", "c"]);
      expect(await store.inbox.pending("k", { kinds: ["control"] })).toEqual([]);
      expect(await store.inbox.waiting("k", 10)).toBe(3);
      expect(await store.inbox.waiting("k", 2)).toBe(2);
      expect(await store.inbox.waitingSessions(10)).toEqual(["k", "other"]);
      expect(await store.inbox.claim(ids.slice(0, 2), turn("t1"))).toEqual(ids.slice(0, 2));
      expect(await store.inbox.claim(ids, turn("t2"))).toEqual(ids.slice(2));
      expect(await store.inbox.pending("k")).toEqual([]);
      await store.inbox.finish(ids.slice(0, 2), "done");
      expect(await store.inbox.counts()).toEqual({ pending: 1, claimed: 1, done: 2, dropped: 0, dead: 0 });
      expect((await store.inbox.admit(event("a"))).kind).toBe("duplicate");
    });

    it("returns what a lost turn had claimed, and gives up after the last attempt [40:SCL-11] [40:A-SCL-12]", async () => {
      const { inbox } = fixture().store;
      const { id } = await inbox.admit(event("poison"));
      for (const attempt of [1, 2]) {
        await inbox.claim([id], turn(`t${attempt}`));
        const outcome = await inbox.release(turn(`t${attempt}`), { maxAttempts: 3 });
        expect(outcome).toEqual({ released: [id], dead: [] });
      }
      await inbox.claim([id], turn("t3"));
      expect(await inbox.release(turn("t3"), { maxAttempts: 3 })).toEqual({ released: [], dead: [id] });
      expect((await inbox.list({ status: "dead" })).map((entry) => entry.id)).toEqual([id]);
      expect(await inbox.redrive(id)).toBe(true);
      expect(await inbox.redrive(id)).toBe(false);
      expect(await inbox.get(id)).toMatchObject({ status: "pending", attempts: 0 });
    });

    it("returns what a turn had claimed without counting it, and counts for itself [40:SCL-10] [40:SCL-11]", async () => {
      const { inbox } = fixture().store;
      const { id } = await inbox.admit(event("a"));
      const { id: other } = await inbox.admit(event("b"));
      await inbox.claim([id, other], turn("t1"));
      expect((await inbox.claimed("k")).map((entry) => entry.id)).toEqual([id, other]);
      expect(await inbox.claimed("other")).toEqual([]);
      expect(await inbox.release(turn("t1"))).toEqual({ released: [id, other], dead: [] });
      await inbox.countAttempt([id]);
      await inbox.countAttempt([]);
      expect((await inbox.pending("k")).map(({ attempts }) => attempts)).toEqual([1, 0]);
      await inbox.forgiveAttempts([id]);
      expect((await inbox.pending("k")).map(({ attempts }) => attempts)).toEqual([0, 0]);
      expect(await inbox.claimed("k")).toEqual([]);
    });

    it("holds entries back until their time [40:FLW-32]", async () => {
      const { store, clock } = fixture();
      const { id } = await store.inbox.admit(event("a"));
      await store.inbox.postpone([id], clock.now() + 500);
      expect(await store.inbox.pending("k")).toEqual([]);
      expect(await store.inbox.waitingSessions(10)).toEqual([]);
      await clock.advance(500);
      expect(await store.inbox.pending("k")).toHaveLength(1);
    });

    it("forgets finished entries after their time, and only those [40:SCL-25]", async () => {
      const { store, clock } = fixture();
      const done = await store.inbox.admit(event("done"));
      await store.inbox.admit(event("waiting"));
      await store.inbox.finish([done.id], "done");
      const retention = () => ({ doneMs: clock.now() - 7 * dayMs, deadMs: clock.now() - 30 * dayMs });
      expect(await store.inbox.prune(retention())).toBe(0);
      await clock.advance(8 * dayMs);
      expect(await store.inbox.prune(retention())).toBe(1);
      expect(await store.inbox.counts()).toMatchObject({ pending: 1, done: 0 });
    });
  });
}

function outboxContract(subject: StoreSubject): void {
  describe("outbox", () => {
    const fixture = useStore(subject);
    const account = { platform: "telegram", account: "bot" };
    const dueKeys = async (): Promise<readonly string[]> =>
      (await fixture().store.outbox.due(account)).map((entry) => entry.idempotencyKey);

    it("owes a message once per key, in order within its chat [40:SCL-14] [40:SCL-18]", async () => {
      const { outbox } = fixture().store;
      expect(await outbox.owe([owed("t1:0"), owed("t1:1"), owed("t2:0", "2")])).toHaveLength(3);
      expect(await outbox.owe([owed("t1:0"), owed("t1:1")])).toEqual([]);
      expect((await outbox.byKey("t1:1"))?.orderNo).toBe(2);
      expect(await dueKeys()).toEqual(["t1:0", "t2:0"]);
      expect(await outbox.due({ platform: "discord", account: "bot" })).toEqual([]);
    });

    it("goes on with the next of a chat when the one before is settled; a failing head holds up its own chat only [40:SCL-15]", async () => {
      const { store, clock } = fixture();
      const { outbox } = store;
      const [first = 0] = await outbox.owe([owed("a"), owed("b")]);
      await outbox.owe([owed("c", "2")]);
      expect(await outbox.startSending(first)).toBe(true);
      expect(await outbox.startSending(first)).toBe(false);
      expect(await dueKeys()).toEqual(["c"]);
      await outbox.retryAt(first, { atMs: clock.now() + 2000, errorClass: "rate-limited" });
      expect(await dueKeys()).toEqual(["c"]);
      await clock.advance(2000);
      expect(await dueKeys()).toEqual(["a", "c"]);
      await outbox.startSending(first);
      await outbox.markSent(first, "m1");
      expect(await outbox.get(first)).toMatchObject({ status: "sent", platformMessageId: "m1", attempts: 2 });
      expect(await dueKeys()).toEqual(["b", "c"]);
    });

    it("knows after a restart what was being sent [40:SCL-16] [40:SCL-17]", async () => {
      const { outbox } = fixture().store;
      const [id = 0] = await outbox.owe([owed("a")]);
      await outbox.startSending(id);
      expect(await outbox.interrupted(account)).toMatchObject([{ id, status: "sending" }]);
      // A second crash before it was settled finds it again.
      expect(await outbox.interrupted(account)).toMatchObject([{ id, status: "sending" }]);
      await outbox.retryAt(id, { atMs: fixture().clock.now(), errorClass: "in-doubt" });
      await outbox.startSending(id);
      expect(await outbox.interrupted(account)).toMatchObject([{ id, errorClass: "in-doubt" }]);
      await outbox.fail(id, { status: "dead", errorClass: "gone" });
      expect(await outbox.counts()).toMatchObject({ dead: 1, pending: 0 });
      expect(await outbox.redrive(id)).toBe(true);
      expect((await outbox.list({ status: "pending" })).map((entry) => entry.id)).toEqual([id]);
    });

    it("goes on in a chat after a message of which nobody will know whether it arrived [40:SCL-15] [40:SCL-16]", async () => {
      const { outbox } = fixture().store;
      const [first = 0] = await outbox.owe([owed("a"), owed("b")]);
      await outbox.startSending(first);
      await outbox.fail(first, { status: "unknown", errorClass: "interrupted" });
      expect(await dueKeys()).toEqual(["b"]);
    });

    it("forgets what was delivered long ago [40:SCL-25]", async () => {
      const { store, clock } = fixture();
      const [id = 0] = await store.outbox.owe([owed("a"), owed("b")]);
      await store.outbox.startSending(id);
      await store.outbox.markSent(id, undefined);
      await clock.advance(1000);
      expect(await store.outbox.prune({ doneMs: clock.now(), deadMs: clock.now() })).toBe(1);
      expect(await store.outbox.counts()).toMatchObject({ pending: 1, sent: 0 });
    });
  });
}

function leaseContract(subject: StoreSubject): void {
  describe("leases", () => {
    const fixture = useStore(subject);

    it("have one holder, grow their fence, and refuse writes of a holder that was replaced [40:SCL-9] [40:A-SCL-5]", async () => {
      const { store, clock } = fixture();
      const write = (text: string, fence: { name: string; owner: string; fence: number }): Promise<unknown> =>
        store.transaction((tx) => tx.messages.append(session("s"), [{ role: "user", content: text }]), { fence });
      const first = await store.leases.acquire("session:k", "w1", 30_000);
      if (first.kind !== "held") throw new Error("not held");
      expect(first.lease.fence).toBe(1);
      expect(await store.leases.acquire("session:k", "w2", 30_000)).toMatchObject({ kind: "busy", owner: "w1" });
      expect(await store.leases.renew(first.lease, 30_000)).toBe(true);
      await clock.advance(30_000);
      const second = await store.leases.acquire("session:k", "w2", 30_000);
      if (second.kind !== "held") throw new Error("not held");
      expect(second.lease.fence).toBe(2);
      expect(await store.leases.renew(first.lease, 30_000)).toBe(false);
      expect(await store.leases.isHeld(first.lease)).toBe(false);
      await expect(write("late", first.lease)).rejects.toBeInstanceOf(LeaseLostError);
      expect(await store.messages.count(session("s"))).toBe(0);
      await write("now", second.lease);
      expect(await store.messages.count(session("s"))).toBe(1);
      await store.leases.release(second.lease);
      expect(await store.leases.acquire("session:k", "w3", 1)).toMatchObject({ kind: "held", lease: { fence: 3 } });
      expect(await store.leases.get("session:k")).toMatchObject({ owner: "w3" });
      await clock.advance(10);
      expect(await store.leases.prune(clock.now())).toBe(1);
    });

    it("say what an owner has not given back, also when its time is up [40:SCL-11]", async () => {
      const { store, clock } = fixture();
      const { leases } = store;
      for (const name of ["chat:b", "chat:a", "turn:c", "chat:d"]) await leases.acquire(name, "w1", 1_000);
      await leases.acquire("chat:e", "w2", 1_000);
      const given = await leases.get("chat:d");
      if (given !== undefined) await leases.release(given);
      await clock.advance(5_000);
      const names = async () => (await leases.ownedBy("w1", "chat:")).map(({ name }) => name);
      expect(await names()).toEqual(["chat:a", "chat:b"]);
      expect((await leases.kept("chat:")).map(({ name }) => name)).toEqual(["chat:a", "chat:b", "chat:e"]);
      expect(await leases.held("chat:")).toEqual([]);
      await leases.acquire("chat:a", "w2", 1_000);
      expect(await names()).toEqual(["chat:b"]);
    });

    it("go to one of many that ask at once", async () => {
      const { leases } = fixture().store;
      const asked = Array.from({ length: 8 }, (_, index) => leases.acquire("leader", `w${index}`, 1000));
      const outcomes = await Promise.all(asked);
      expect(outcomes.filter((outcome) => outcome.kind === "held")).toHaveLength(1);
    });
  });
}

function routeContract(subject: StoreSubject): void {
  describe("routes and turns in flight", () => {
    const fixture = useStore(subject);

    it("remember which session a chat is in [40:SES-3]", async () => {
      const { routes } = fixture().store;
      const route = {
        sessionKey: "agent:main:telegram:dm:1",
        sessionId: session("s1"),
        platform: "telegram",
        chatType: "dm",
        chatId: "1",
        createdAtMs: 1,
        updatedAtMs: 2,
        details: { suspended: false, display_name: "Ann" },
      };
      await routes.put(route);
      await routes.put({ ...route, sessionId: session("s2"), updatedAtMs: 3, createdAtMs: 9 });
      expect(await routes.get(route.sessionKey)).toMatchObject({
        sessionId: "s2",
        createdAtMs: 1,
        updatedAtMs: 3,
        details: { display_name: "Ann" },
      });
      expect((await routes.bySession(session("s2")))?.sessionKey).toBe(route.sessionKey);
      await routes.put({ ...route, sessionKey: "other", platform: "discord", updatedAtMs: 8 });
      expect((await routes.list()).map((entry) => entry.sessionKey)).toEqual(["other", route.sessionKey]);
      expect(await routes.list({ platform: "telegram", chatId: "1" })).toHaveLength(1);
      expect(await routes.remove("other")).toBe(true);
      expect(await routes.get("other")).toBeUndefined();
    });

    it("forget chats that have long been silent, but none with a turn in flight [40:SES-9]", async () => {
      const { routes, gatewayTurns } = fixture().store;
      const facts = { platform: "telegram", chatType: "dm", createdAtMs: 1, details: {} };
      for (const [sessionKey, updatedAtMs] of [["old", 5] as const, ["working", 5] as const, ["new", 50] as const])
        await routes.put({ ...facts, sessionKey, sessionId: session(sessionKey), updatedAtMs });
      const running = { status: "running", step: "", startedAtMs: 5, heartbeatAtMs: 5, attempts: 0, fence: 1 } as const;
      const of = { id: turn("t"), sessionKey: "working", sessionId: session("working"), inboxIds: [] };
      await gatewayTurns.start({ ...running, ...of });
      expect(await routes.prune(10)).toBe(1);
      expect((await routes.list()).map(({ sessionKey }) => sessionKey)).toEqual(["new", "working"]);
    });

    it("find a chat whose key was written with `private` for `dm` [40:FLW-9] [40:A-FLW-1]", async () => {
      const { routes } = fixture().store;
      const facts = { platform: "telegram", createdAtMs: 1, updatedAtMs: 2, details: {} };
      const dm = { ...facts, chatType: "dm", sessionKey: "agent:main:telegram:dm:12345", sessionId: session("s1") };
      const group = { ...facts, chatType: "group", sessionKey: "agent:main:telegram:group:private:1" };
      await routes.put(dm);
      await routes.put({ ...group, sessionId: session("s2") });
      expect(await routes.get("agent:main:telegram:private:12345")).toMatchObject({ sessionId: "s1" });
      expect(await routes.get(group.sessionKey)).toMatchObject({ sessionId: "s2" });
      expect(await routes.remove("agent:main:telegram:private:12345")).toBe(true);
    });

    it("a turn that falls silent is found, and a finished one stays finished [40:SCL-10]", async () => {
      const { store, clock } = fixture();
      const startedAtMs = clock.now();
      await store.gatewayTurns.start({
        id: turn("t1"),
        sessionKey: "k",
        sessionId: session("s"),
        inboxIds: [1, 2],
        fence: 4,
        status: "running",
        step: "created",
        startedAtMs,
        heartbeatAtMs: startedAtMs,
        attempts: 0,
      });
      await clock.advance(1000);
      await store.gatewayTurns.progress(turn("t1"), { step: "agent" });
      expect(await store.gatewayTurns.inProgress()).toEqual([{ sessionKey: "k", lease: undefined }]);
      await store.leases.acquire("chat:k", "worker", 30_000);
      const expiresAtMs = clock.now() + 30_000;
      expect(await store.gatewayTurns.inProgress()).toEqual([
        { sessionKey: "k", lease: { name: "chat:k", owner: "worker", fence: 1, expiresAtMs } },
      ]);
      await store.gatewayTurns.progress(turn("t1"), { attempts: 1 });
      expect(await store.gatewayTurns.unfinished("k")).toMatchObject([{ id: "t1", step: "agent", attempts: 1 }]);
      expect(await store.gatewayTurns.unfinished("other")).toEqual([]);
      await store.gatewayTurns.finish(turn("t1"), "done", { text: "ok" });
      await store.gatewayTurns.finish(turn("t1"), "abandoned");
      expect(await store.gatewayTurns.unfinished("k")).toEqual([]);
      expect(await store.gatewayTurns.get(turn("t1"))).toMatchObject({ status: "done", result: { text: "ok" } });
      await clock.advance(1000);
      expect(await store.gatewayTurns.prune(clock.now())).toBe(1);
    });
  });
}

function traceContract(subject: StoreSubject): void {
  describe("traces", () => {
    const fixture = useStore(subject);

    it("finds the chats that name somebody, and leaves nothing of one [40:SCL-28]", async () => {
      const { store } = fixture();
      const { traces, inbox, outbox } = store;
      const about = (chatId: string) => ({ source: { chatId }, text: "7_7% is no id" });
      const first = await inbox.admit({ ...event("a", "seven"), event: about("7_7") });
      await inbox.admit({ ...event("b", "eight"), event: about("7x7") });
      await outbox.owe([{ ...owed("o1", "7_7"), sessionKey: "seven" }, owed("o2", "7_7"), owed("o3", "8")]);
      expect(await traces.chatsNaming("telegram", "7_7")).toEqual(["seven"]);
      expect(await traces.chatsNaming("discord", "7_7")).toEqual([]);
      expect(await traces.ofChat("seven")).toMatchObject({ received: [{ id: first.id }], owedKeys: ["o1"] });
      await store.transaction(async (tx) => {
        await tx.traces.removeChat("seven");
        await tx.traces.removeSent("telegram", "7_7");
      });
      expect(await traces.ofChat("seven")).toEqual({ route: undefined, received: [], owedKeys: [], sessionIds: [] });
      expect(await outbox.byKey("o2")).toBeUndefined();
      expect(await outbox.byKey("o3")).toBeDefined();
      expect(await inbox.counts()).toMatchObject({ pending: 1 });
    });
  });
}

function signalContract(subject: StoreSubject): void {
  describe("signals", () => {
    const fixture = useStore(subject);

    const listening = async (options: { room?: number } = {}) => {
      const { store } = fixture();
      const woken: string[] = [];
      const touched: string[] = [];
      const state = { room: options.room ?? 8 };
      const serving = await store.signals.serve({
        room: () => state.room - woken.length,
        woken: (key) => void woken.push(key),
        touched: (key) => void touched.push(key),
      });
      return { store, woken, touched, state, serving };
    };

    it("a worker hears of an event once it is committed [40:SCL-2] [40:SCL-3] [40:SCL-5]", async () => {
      const { store, woken, serving } = await listening();
      await using _serving = serving;
      const failing = store.transaction(async (tx) => {
        await tx.inbox.admit({ ...event("lost", "agent:lost"), wakes: true });
        throw new Error("not kept");
      });
      await expect(failing).rejects.toThrow("not kept");
      await store.inbox.admit(event("quiet", "agent:quiet"));
      await store.inbox.admit({ ...event("loud", "agent:loud"), wakes: true });
      await expect.poll(() => woken, { timeout: 10_000 }).toEqual(["agent:loud"]);
    });

    it("whoever serves a session hears of everything that happens in it [40:SCL-12]", async () => {
      const { store, touched, serving } = await listening({ room: 0 });
      await using _serving = serving;
      // Listening begins a moment after serving does.
      await expect
        .poll(async () => {
          await store.signals.wake("agent:a");
          return touched.includes("agent:a");
        })
        .toBe(true);
    });

    it("every program hears what is announced to all [40:SCL-12] [40:SCL-24]", async () => {
      const { store } = fixture();
      const heard: string[] = [];
      using _listener = store.signals.onAnnounced((announcement) => void heard.push(announcement));
      await expect
        .poll(async () => {
          await store.signals.announce("restart");
          return heard.includes("restart");
        })
        .toBe(true);
    });

    it("an account hears of what it owes, and a hint may be put off [40:SCL-15]", async () => {
      const { store, woken, serving } = await listening();
      await using _serving = serving;
      const heard: string[] = [];
      using _owed = store.signals.onOwed((platform, account) => void heard.push(`${platform}/${account}`));
      let count = 0;
      await expect
        .poll(async () => {
          count += 1;
          await store.outbox.owe([owed(`o${count}`)]);
          return heard.includes("telegram/bot");
        })
        .toBe(true);
      await store.signals.wake("agent:later", { inMs: 20 });
      expect(woken).toEqual([]);
      await expect.poll(() => woken, { timeout: 10_000 }).toEqual(["agent:later"]);
    });
  });
}
