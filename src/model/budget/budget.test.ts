import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { toNanoUsd } from "../catalog/cost.ts";
import { type DayLedger, dayOf, MemoryDayLedger, reservedNano } from "./day-ledger.ts";
import { FileDayLedger } from "./day-ledger-file.ts";
import { estimateCall } from "./estimate.ts";
import { BudgetGate } from "./gate.ts";
import type { BudgetLimits } from "./limits.ts";
import { describeRefusal } from "./messages.ts";

const hard: BudgetLimits = { mode: "hard", unknownPrice: "allow" };
const quote = { billingMode: "official_docs_snapshot", source: "official_docs_snapshot", isIncluded: false } as const;
const usd = (amount: number) => ({ nanoUsd: toNanoUsd(amount), isAssumed: false });
const spent = (amount: number) => ({ status: "actual", source: "provider_cost_api", usd: amount }) as const;

function gate(limits: BudgetLimits, day?: DayLedger, clock = new FakeClock()) {
  return new BudgetGate({ limits: () => limits, clock, ...(day === undefined ? {} : { day }) });
}

async function reserved(open: BudgetGate, amount: number, spender = { sessionId: "s" }) {
  const outcome = await open.reserve(spender, usd(amount), never);
  if (outcome.kind !== "reserved") throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome;
}

describe("the money gate", () => {
  it("A14.6: refuses the next call once the session limit is reached [20:A14.6]", async () => {
    const open = gate({ ...hard, sessionUsd: 0.1 });
    const first = await reserved(open, 0.06);
    await open.settle(first.id, spent(0.1), never);
    const refused = await open.reserve({ sessionId: "s" }, usd(0.001), never);
    expect(refused).toEqual({ kind: "refused", reason: "limit", ceiling: "session", spentUsd: 0.1, limitUsd: 0.1 });
    if (refused.kind === "refused") expect(describeRefusal(refused)).toContain("budget.session_usd");
    await reserved(open, 0.05, { sessionId: "another" });
  });

  it("calls at the same time never share the same money", async () => {
    const open = gate({ ...hard, sessionUsd: 1 });
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => open.reserve({ sessionId: "s" }, usd(0.3), never)),
    );
    expect(outcomes.filter((outcome) => outcome.kind === "reserved")).toHaveLength(3);
  });

  it("gives back what a call did not need, and everything of a call that was not made", async () => {
    const open = gate({ ...hard, sessionUsd: 1 });
    const first = await reserved(open, 0.9);
    await open.settle(first.id, spent(0.2), never);
    const second = await reserved(open, 0.8);
    await open.release(second.id, never);
    await open.release(second.id, never);
    await open.settle(second.id, spent(5), never);
    await reserved(open, 0.8);
    expect(open.spentUsd("session", "s")).toBe(0.2);
  });

  it("a tree of delegated sessions shares one ceiling", async () => {
    const open = gate({ ...hard, treeUsd: 1 });
    const first = await reserved(open, 0.7, { sessionId: "child-1", treeId: "root" } as never);
    expect(await open.reserve({ sessionId: "child-2", treeId: "root" }, usd(0.7), never)).toMatchObject({
      ceiling: "tree",
    });
    await open.settle(first.id, spent(0.1), never);
    expect(await open.reserve({ sessionId: "child-2", treeId: "root" }, usd(0.7), never)).toMatchObject({
      kind: "reserved",
    });
  });

  it("a soft limit warns once per session and lets the call through", async () => {
    const open = gate({ mode: "soft", unknownPrice: "allow", sessionUsd: 0.1, dayUsd: 0.1 });
    expect((await reserved(open, 0.2)).warnings.map((one) => one.ceiling)).toEqual(["session", "day"]);
    expect((await reserved(open, 0.2)).warnings).toEqual([]);
  });

  it("continues from what a resumed session had spent", async () => {
    const open = gate({ ...hard, sessionUsd: 1 });
    open.open("session", "s", 0.95);
    open.open("session", "s", 0);
    expect(await open.reserve({ sessionId: "s" }, usd(0.1), never)).toMatchObject({ kind: "refused" });
  });

  it("the day begins anew at midnight, and a call settles on the day it began", async () => {
    const clock = new FakeClock(new Date(2026, 0, 1, 23, 59).getTime());
    const day = new MemoryDayLedger();
    const open = gate({ ...hard, dayUsd: 1 }, day, clock);
    const late = await reserved(open, 1);
    expect(await open.reserve({ sessionId: "s" }, usd(1), never)).toMatchObject({ ceiling: "day" });
    await clock.advance(120_000);
    await reserved(open, 1);
    await open.settle(late.id, spent(0.5), never);
    const first = await day.change("2026-01-01", (entry) => ({ entry, result: entry }), never);
    expect(first.spentNano).toBe(toNanoUsd(0.5));
  });
});

describe("unknown prices", () => {
  const unknown = {
    quote: { billingMode: "unknown", source: "none", isIncluded: false } as const,
    promptTokens: 96_000,
    maxOutputTokens: 4_000,
  };

  it("count by assumption, never as zero [10:LOOP-58]", async () => {
    const limits = { ...hard, sessionUsd: 1.5, assumedUsdPerMillionTokens: 10 };
    const estimate = estimateCall(unknown, limits);
    expect(estimate).toEqual({ nanoUsd: toNanoUsd(1), isAssumed: true });
    const open = gate(limits);
    const first = await open.reserve({ sessionId: "s" }, estimate, never);
    expect(first).toMatchObject({ kind: "reserved", isAssumed: true });
    if (first.kind === "reserved") await open.settle(first.id, { status: "unknown", source: "none" }, never);
    expect(open.spentUsd("session", "s")).toBe(1);
    expect(await open.reserve({ sessionId: "s" }, estimate, never)).toMatchObject({ kind: "refused", reason: "limit" });
  });

  it("are refused where the configuration says so, but only under a hard ceiling", async () => {
    const refuse = { ...hard, unknownPrice: "refuse" } as const;
    const estimate = estimateCall(unknown, refuse);
    const outcome = await gate({ ...refuse, dayUsd: 100 }).reserve({ sessionId: "s" }, estimate, never);
    expect(outcome).toEqual({ kind: "refused", reason: "unknown-price" });
    expect((await gate(refuse).reserve({ sessionId: "s" }, estimate, never)).kind).toBe("reserved");
  });

  it("subscriptions cost nothing and are never refused", async () => {
    const estimate = estimateCall({ promptTokens: 1e6, quote: { ...quote, isIncluded: true } }, hard);
    expect(estimate).toEqual({ nanoUsd: 0, isAssumed: false });
    const open = gate({ ...hard, sessionUsd: 0.1 });
    open.open("session", "s", 0.1);
    expect((await open.reserve({ sessionId: "s" }, estimate, never)).kind).toBe("reserved");
  });

  it("known prices are estimated from the prompt and a usual answer", () => {
    const call = {
      promptTokens: 1_000_000,
      maxOutputTokens: 128_000,
      quote: { ...quote, prices: { input: 3, output: 15 } },
    };
    expect(estimateCall(call, hard)).toEqual({ nanoUsd: toNanoUsd(3 + 0.06144), isAssumed: false });
  });
});

describe("the day's record in a file", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hermes-budget-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is shared by all processes of a home", async () => {
    const path = join(folder, "home", "budget.json");
    const gates = [1, 2, 3].map(() => gate({ ...hard, dayUsd: 1 }, new FileDayLedger(path)));
    const outcomes = await Promise.all(
      gates.map((open, index) => open.reserve({ sessionId: `s${index}` }, usd(0.4), never)),
    );
    expect(outcomes.filter((outcome) => outcome.kind === "reserved")).toHaveLength(2);
    const stored = JSON.parse(await readFile(path, "utf8")) as { days: Record<string, { reservations: object }> };
    expect(Object.keys(stored.days[dayOf(new FakeClock().now())]?.reservations ?? {})).toHaveLength(2);
  });

  it("frees what a dead process had set aside after two hours", async () => {
    const path = join(folder, "budget.json");
    const clock = new FakeClock(new Date(2026, 0, 1, 8).getTime());
    await reserved(gate({ ...hard, dayUsd: 1 }, new FileDayLedger(path), clock), 1);
    const next = gate({ ...hard, dayUsd: 1 }, new FileDayLedger(path), clock);
    expect(await next.reserve({ sessionId: "s" }, usd(1), never)).toMatchObject({ ceiling: "day" });
    await clock.advance(2 * 3_600_000);
    await reserved(next, 1);
  });

  it("that is damaged stops the call instead of counting from zero", async () => {
    const path = join(folder, "budget.json");
    await writeFile(path, "{");
    await expect(gate(hard, new FileDayLedger(path)).reserve({ sessionId: "s" }, usd(1), never)).rejects.toMatchObject({
      code: "budget_ledger_damaged",
    });
    await writeFile(path, '{"days":{"2026-01-01":{"spentNano":-5,"reservations":{"x":7}},"bad":1}}');
    const entry = await new FileDayLedger(path).change(
      "2026-01-01",
      (before) => ({ entry: before, result: before }),
      never,
    );
    expect(entry).toEqual({ spentNano: 0, unpricedCalls: 0, reservations: {} });
  });
});

describe("any order of calls", () => {
  const step = fc.record({
    act: fc.constantFrom("reserve", "settle", "release"),
    which: fc.nat({ max: 9 }),
    amount: fc.integer({ min: 1, max: 400 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    session: fc.constantFrom("a", "b"),
  });

  it("keeps spent and set aside money under every hard ceiling, and every ledger equal", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const day = new MemoryDayLedger();
        const open = gate({ ...hard, sessionUsd: 0.6, dayUsd: 1, treeUsd: 0.9 }, day);
        const held: { id: string; nano: number }[] = [];
        for (const { act, which, amount, share, session } of steps) {
          const chosen = held[which];
          if (act === "reserve" || chosen === undefined) {
            const estimate = { nanoUsd: amount * 1_000_000, isAssumed: false };
            const outcome = await open.reserve({ sessionId: session, treeId: "t" }, estimate, never);
            if (outcome.kind === "reserved") held.push({ id: outcome.id, nano: estimate.nanoUsd });
            continue;
          }
          held.splice(which, 1);
          if (act === "settle") await open.settle(chosen.id, spent((chosen.nano * share) / 1e9), never);
          else await open.release(chosen.id, never);
        }
        const total = open.spentUsd("session", "a") + open.spentUsd("session", "b");
        const entry = await day.change(dayOf(new FakeClock().now()), (now) => ({ entry: now, result: now }), never);
        expect(entry.spentNano + reservedNano(entry)).toBeLessThanOrEqual(toNanoUsd(0.9));
        expect(reservedNano(entry)).toBe(held.reduce((sum, one) => sum + one.nano, 0));
        expect(open.spentUsd("tree", "t")).toBeCloseTo(total, 9);
        expect(entry.spentNano).toBe(toNanoUsd(total));
        for (const session of ["a", "b"]) expect(open.spentUsd("session", session)).toBeLessThanOrEqual(0.6);
      }),
      { numRuns: 60 },
    );
  });
});
