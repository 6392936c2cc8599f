import { describe, expect, it } from "vitest";
import { userMessage } from "#conversation";
import type { JobRecord, TurnRecord } from "#store/testing";
import { moneyLedgerContract } from "../money-ledger.ts";
import { type StoreSubject, session, turn, useStore } from "./subject.ts";

const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1 };

/** Jobs, small values, money and reports. */
export function bookContract(subject: StoreSubject): void {
  jobContract(subject);
  usageContract(subject);
  describe("the account of model calls", () => {
    const fixture = useStore(subject);
    moneyLedgerContract(() => ({ ledger: fixture().store.money, clock: fixture().clock }));
  });
  reportContract(subject);
}

function jobContract(subject: StoreSubject): void {
  describe("documents", () => {
    const fixture = useStore(subject);
    it("are kept by kind and key, written anew, and trimmed to the newest that have not expired [40:API-20] [40:API-21]", async () => {
      const { store, clock } = fixture();
      const { documents } = store;
      for (const key of ["a", "b", "c"]) {
        await documents.put({ kind: "x", key, value: { key } });
        await clock.advance(1000);
      }
      await documents.put({ kind: "y", key: "a", value: "other" });
      await documents.put({ kind: "x", key: "a", value: ["new"] });
      expect(await documents.get("x", "a")).toMatchObject({ value: ["new"], expiresAtMs: undefined });
      await documents.trim("x", 2);
      expect([await documents.get("x", "b"), (await documents.get("x", "c"))?.value]).toEqual([
        undefined,
        { key: "c" },
      ]);
      await documents.put({ kind: "x", key: "c", value: 1, expiresAtMs: clock.now() + 10 });
      await clock.advance(11);
      expect((await documents.list("x", { limit: 9 })).map(({ key }) => key)).toEqual(["a"]);
      expect((await documents.list("z", { limit: 9 })).length).toBe(0);
      await documents.trim("x", 2);
      expect(await documents.get("x", "c")).toBeUndefined();
      expect([await documents.remove("x", "a"), await documents.remove("x", "a")]).toEqual([true, false]);
      expect((await documents.get("y", "a"))?.value).toBe("other");
    });
  });

  describe("jobs", () => {
    const fixture = useStore(subject);
    const job = (id: string, nextRunAtMs?: number): JobRecord => ({
      id,
      name: `job ${id}`,
      isEnabled: true,
      state: "scheduled",
      nextRunAtMs,
      definition: { prompt: "report" },
      createdAtMs: 1,
      updatedAtMs: 1,
    });

    it("are due in order of their time, while enabled", async () => {
      const { jobs } = fixture().store;
      await jobs.put(job("b", 200));
      await jobs.put(job("a", 100));
      await jobs.put({ ...job("off", 50), isEnabled: false });
      await jobs.put(job("never"));
      expect((await jobs.due(250)).map((entry) => entry.id)).toEqual(["a", "b"]);
      expect((await jobs.due(150)).map((entry) => entry.id)).toEqual(["a"]);
      await jobs.put({ ...job("a", 900), name: "renamed" });
      expect(await jobs.get("a")).toMatchObject({
        name: "renamed",
        nextRunAtMs: 900,
        definition: { prompt: "report" },
      });
      expect(await jobs.list()).toHaveLength(4);
      expect(await jobs.remove("a")).toBe(true);
      expect(await jobs.get("a")).toBeUndefined();
    });

    it("one occurrence goes to one worker, and the next time moves with it [40:CRN-10] [40:A-CRN-2] [40:A-CRN-15]", async () => {
      const { jobs } = fixture().store;
      await jobs.put(job("a", 100));
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          jobs.claim({ jobId: "a", scheduledForMs: 100, owner: `w${index}`, nextRunAtMs: 160 }),
        ),
      );
      expect(claims.filter((claim) => claim.kind === "claimed")).toHaveLength(1);
      expect(claims.filter((claim) => claim.kind === "taken" && claim.state === "running")).toHaveLength(5);
      expect((await jobs.get("a"))?.nextRunAtMs).toBe(160);
      expect(await jobs.runs("a")).toHaveLength(1);
    });

    it("a run ends once, with a final state; a silent one can be taken up [40:CRN-7] [40:A-CRN-4]", async () => {
      const { store, clock } = fixture();
      const { jobs } = store;
      const occurrence = { jobId: "a", scheduledForMs: 100 };
      await jobs.put(job("a", 100));
      const claim = await jobs.claim({ ...occurrence, owner: "w1", nextRunAtMs: null });
      if (claim.kind !== "claimed") throw new Error("not claimed");
      expect((await jobs.get("a"))?.nextRunAtMs).toBeUndefined();
      await clock.advance(60_000);
      expect(await jobs.unfinishedRuns(clock.now() - 30_000)).toHaveLength(1);
      const again = await jobs.claim({ ...occurrence, owner: "w2", retryIfSilentSinceMs: clock.now() - 30_000 });
      expect(again).toMatchObject({ kind: "claimed", run: { attempt: 2, owner: "w2" } });
      expect(await jobs.heartbeat(claim.run.id)).toBe(true);
      await jobs.finish(claim.run.id, { state: "ok", details: { delivered: true } });
      await jobs.finish(claim.run.id, { state: "error", error: "late" });
      expect(await jobs.heartbeat(claim.run.id)).toBe(false);
      expect(await jobs.runs("a")).toMatchObject([{ state: "ok", details: { delivered: true }, error: undefined }]);
      expect(await jobs.claim({ ...occurrence, owner: "w3" })).toEqual({ kind: "taken", state: "ok" });
      await clock.advance(1000);
      expect(await jobs.pruneRuns(clock.now())).toBe(1);
    });
  });

  describe("meta", () => {
    const fixture = useStore(subject);

    it("keeps small values and changes them only from what was expected", async () => {
      const { meta } = fixture().store;
      expect(await meta.get("k")).toBeUndefined();
      await meta.set("k", "1");
      await meta.set("k", "2");
      expect(await meta.get("k")).toBe("2");
      expect(await meta.compareAndSet("k", "1", "3")).toBe(false);
      expect(await meta.compareAndSet("k", "2", "3")).toBe(true);
      expect(await meta.compareAndSet("new", undefined, "a")).toBe(true);
      expect(await meta.compareAndSet("new", undefined, "b")).toBe(false);
      await meta.delete("k");
      expect(await meta.get("k")).toBeUndefined();
    });
  });
}

function usageContract(subject: StoreSubject): void {
  describe("usage", () => {
    const fixture = useStore(subject);

    it("adds the tokens of each call [10:STORE-16] [10:LOOP-57]", async () => {
      const { store } = fixture();
      await store.usage.change(session("s"), { usage, apiCalls: 1, estimatedCostUsd: 0.5 });
      await store.usage.change(session("s"), { usage, apiCalls: 1, estimatedCostUsd: 0.25 });
      expect(await store.sessions.get(session("s"))).toMatchObject({
        usage: { input: 20, output: 10, cacheRead: 6, cacheWrite: 4, reasoning: 2 },
        apiCallCount: 2,
        estimatedCostUsd: 0.75,
      });
    });

    it("remembers that a server did not count, in the session and in insights [20:R6.6]", async () => {
      const { store } = fixture();
      await store.sessions.create({ id: session("s"), source: "cli", model: "counted" });
      await store.sessions.create({ id: session("t"), source: "cli", model: "silent" });
      await store.usage.change(session("s"), { usage, apiCalls: 1 });
      await store.usage.change(session("t"), { usage, apiCalls: 1 });
      await store.usage.change(session("t"), { usage: { ...usage, isEstimated: true }, apiCalls: 2 });
      expect((await store.sessions.get(session("s")))?.usage).toEqual(usage);
      expect((await store.sessions.get(session("t")))?.usage).toMatchObject({ input: 20, isEstimated: true });
      const call = { spender: { sessionId: "t" }, purpose: "vision", provider: "p", model: "m", usd: 0 };
      const cost = { status: "unknown" as const, source: "none" };
      await store.money.settle("one", { ...call, usage: { ...usage, isEstimated: true }, cost });
      const report = await store.reports.insights({ sinceMs: 0 });
      expect(report.totals.estimatedCalls).toBe(2);
      expect(report.byModel.map(({ name, estimatedCalls }) => [name, estimatedCalls])).toEqual([
        ["silent", 2],
        ["counted", 0],
      ]);
      expect(report.sideCalls).toMatchObject([{ task: "vision", calls: 1, estimatedCalls: 1 }]);
    });

    it("keeps the first model and billing, the newest cost status, and an actual cost unless a new one is given [10:STORE-16]", async () => {
      const { store } = fixture();
      await store.usage.change(session("s"), {
        usage,
        model: "first",
        billingProvider: "p1",
        costStatus: "estimated",
        costSource: "catalog",
        actualCostUsd: 2,
      });
      await store.usage.change(session("s"), {
        usage,
        model: "second",
        billingProvider: "p2",
        billingMode: "api",
        costStatus: "actual",
      });
      expect(await store.sessions.get(session("s"))).toMatchObject({
        model: "first",
        billingProvider: "p1",
        billingMode: "api",
        costStatus: "actual",
        costSource: "catalog",
        actualCostUsd: 2,
      });
    });

    it("keeps calls beside the conversation by task, and reports them for a period and a source [20:R4.14]", async () => {
      const { store, clock } = fixture();
      await store.sessions.create({ id: session("s"), source: "cli" });
      const call = { spender: { sessionId: "s" }, provider: "p", model: "small", usd: 0, usage };
      const title = { ...call, purpose: "title_generation" };
      const cost = (usd: number) => ({ status: "estimated" as const, source: "catalog", usd });
      await store.money.settle("one", { ...title, cost: cost(0.25) });
      await store.money.settle("two", { ...title, cost: cost(0.5) });
      await store.money.settle("main", { ...call, purpose: "main", cost: cost(2) });
      const unknown = { status: "unknown" as const, source: "none" };
      await store.money.settle("three", { ...call, spender: { sessionId: "t" }, purpose: "vision", cost: unknown });
      const all = await store.reports.insights({ sinceMs: clock.now() - 1000 });
      expect(all.sideCalls).toMatchObject([
        { task: "title_generation", calls: 2, outputTokens: 2 * usage.output, costUsd: 0.75, unpricedCalls: 0 },
        { task: "vision", calls: 1, costUsd: 0, unpricedCalls: 1 },
      ]);
      const ofCli = await store.reports.insights({ sinceMs: 0, source: "cli" });
      expect(ofCli.sideCalls.map(({ task }) => task)).toEqual(["title_generation"]);
      const tokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
      expect(all.byDay).toEqual([{ day: 0, calls: 4, tokens: 4 * tokens, costUsd: 2.75 }]);
      const longer = await store.reports.insights({ sinceMs: clock.now() - 3 * 86_400_000, source: "cli" });
      expect(longer.byDay).toEqual([{ day: 3, calls: 3, tokens: 3 * tokens, costUsd: 2.75 }]);
      expect((await store.reports.insights({ sinceMs: clock.now() + 1 })).sideCalls).toEqual([]);
      expect(await store.money.spent({ sessionId: "s" })).toMatchObject({ usd: 2.75, calls: 3 });
    });

    it("what a session cost before its calls were accounted for one by one counts against its limit", async () => {
      const { store } = fixture();
      await store.usage.change(session("s"), { usage, apiCalls: 1, estimatedCostUsd: 0.95 });
      const call = { spender: { sessionId: "s" }, purpose: "main", provider: "p", model: "m", usd: 0.1 };
      const reached = await store.money.hold("one", call, { isHard: true, dayStartMs: 0, session: 1 });
      expect(reached).toEqual([{ ceiling: "session", limitUsd: 1, spentUsd: 0.95 }]);
    });
  });
}

function reportContract(subject: StoreSubject): void {
  describe("turns and reports", () => {
    const fixture = useStore(subject);
    const record = (id: string, exitReason: TurnRecord["exitReason"]): TurnRecord => ({
      id: turn(id),
      sessionId: session("s"),
      startedAtMs: 1000,
      endedAtMs: 2500,
      exitReason,
      isCompleted: exitReason === "text_response",
      isPartial: false,
      isFailed: false,
      isInterrupted: exitReason === "interrupted_by_user",
      apiCalls: 2,
      toolCalls: 1,
      usage,
      model: "m",
    });

    it("an interrupted turn leaves a row that says so [10:A10.13] [10:D14]", async () => {
      const { store } = fixture();
      await store.sessions.create({ id: session("s"), source: "cli" });
      await store.turns.record(record("t1", "text_response"));
      await store.turns.record(record("t2", "interrupted_by_user"));
      await store.turns.record(record("t2", "interrupted_by_user"));
      const turns = await store.turns.list(session("s"));
      expect(turns.map((entry) => [entry.turnIndex, entry.exitReason])).toEqual([
        [0, "text_response"],
        [1, "interrupted_by_user"],
      ]);
      expect(turns[1]).toMatchObject({ isInterrupted: true, usage, startedAtMs: 1000, endedAtMs: 2500 });
      expect((await store.sessions.get(session("s")))?.lastExitReason).toBe("interrupted_by_user");
    });

    it("compressions and other events are kept with their figures [10:COMP-37] [20:R5.17]", async () => {
      const { store } = fixture();
      await store.turns.recordCompression({
        sessionId: session("s"),
        newSessionId: session("s2"),
        trigger: "threshold",
        messagesBefore: 100,
        messagesAfter: 20,
        tokensBefore: 90_000,
        tokensAfter: 20_000,
        tokenSource: "measured",
        savingsPct: 77.8,
        prunedResults: 4,
        summaryStatus: "ok",
        summaryTokens: 900,
        durationMs: 1500,
        isPromptReused: true,
        changedLayers: ["memory"],
        attempt: 1,
      });
      expect(await store.turns.compressions(session("s"))).toMatchObject([
        { newSessionId: "s2", savingsPct: 77.8, isPromptReused: true, changedLayers: ["memory"], trigger: "threshold" },
      ]);
      await store.turns.recordEvent({ sessionId: session("s"), kind: "fallback", details: { from: "a", to: "b" } });
      expect(await store.turns.events(session("s"))).toMatchObject([
        { kind: "fallback", details: { from: "a", to: "b" } },
      ]);
    });

    it("insights sum tokens and cost by model, name the largest sessions and count exit reasons [10:STORE-26] [20:R11.11] [20:R11.12]", async () => {
      const { store, clock } = fixture();
      await store.sessions.create({ id: session("s"), source: "cli", model: "m1" });
      await store.messages.append(session("s"), [
        userMessage("hi", { timestamp: 10 }),
        { role: "tool", content: "x", tool_call_id: "c", tool_name: "terminal", timestamp: 70 },
      ]);
      await store.usage.change(session("s"), { usage, apiCalls: 2, estimatedCostUsd: 0.5, costStatus: "estimated" });
      await store.sessions.create({ id: session("u"), source: "telegram", model: "m2" });
      await store.usage.change(session("u"), { usage: { ...usage, input: 1000 }, costStatus: "unknown" });
      await store.turns.record(record("t1", "text_response"));
      await store.turns.recordEvent({ sessionId: session("s"), kind: "fallback" });
      const report = await store.reports.insights({ sinceMs: clock.now() - 86_400_000 });
      expect(report.totals).toMatchObject({
        sessions: 2,
        messages: 2,
        userMessages: 1,
        inputTokens: 1010,
        estimatedCostUsd: 0.5,
        sessionsWithUnknownCost: 1,
        activeMs: 60_000,
      });
      expect(report.byModel.map((group) => [group.name, group.inputTokens])).toEqual([
        ["m2", 1000],
        ["m1", 10],
      ]);
      expect(report.bySource.map((group) => group.name)).toEqual(["telegram", "cli"]);
      expect(report.tools).toEqual([{ name: "terminal", calls: 1 }]);
      expect(report.exitReasons).toEqual([{ reason: "text_response", turns: 1 }]);
      expect(report.events).toEqual([{ kind: "fallback", count: 1 }]);
      expect(report.notable.mostTokens[0]).toMatchObject({ id: "u" });
      expect(report.startedAtMs).toHaveLength(2);
      expect((await store.reports.insights({ sinceMs: 0, source: "cli" })).totals.sessions).toBe(1);
      expect((await store.reports.insights({ sinceMs: clock.now() + 1 })).totals.sessions).toBe(0);
    });

    it("statistics count sessions and messages by source [20:R11.14]", async () => {
      const { store } = fixture();
      await store.messages.append(session("a"), [userMessage("1"), userMessage("2")], { source: "cli" });
      await store.sessions.create({ id: session("b"), source: "cron" });
      await store.sessions.end(session("b"), "cron_complete");
      const statistics = await store.reports.statistics();
      expect(statistics).toMatchObject({ sessions: 2, messages: 2, openSessions: 1 });
      expect(statistics.bySource).toContainEqual({ source: "cli", sessions: 1, messages: 2 });
      expect(statistics.sizeBytes).toBeGreaterThan(0);
    });

    it("a healthy store passes its check, and the check changes no message", async () => {
      const { store } = fixture();
      await store.messages.append(session("a"), [userMessage("1"), userMessage("2")]);
      const report = await store.maintenance.fsck({ repair: true });
      expect(report).toMatchObject({ isHealthy: true, problems: [], repairs: [], messagesBefore: 2, messagesAfter: 2 });
      expect(report.fingerprintAfter).toBe(report.fingerprintBefore);
    });
  });
}
