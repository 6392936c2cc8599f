import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { type MoneyLedger, type Spender, zeroUsage } from "#conversation";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { moneyLedgerContract } from "../../../test/contracts/money-ledger.ts";
import { toNanoUsd } from "../catalog/cost.ts";
import { estimateCall } from "./estimate.ts";
import { BudgetGate } from "./gate.ts";
import type { BudgetLimits } from "./limits.ts";
import { MemoryMoneyLedger } from "./memory-ledger.ts";
import { describeRefusal } from "./messages.ts";

const hard: BudgetLimits = { mode: "hard", unknownPrice: "allow" };
const quote = { billingMode: "official_docs_snapshot", source: "official_docs_snapshot", isIncluded: false } as const;
const target = { provider: "p", model: "m" };
const usd = (amount: number) => ({ nanoUsd: toNanoUsd(amount), isAssumed: false });
const by = (spender: Spender) => ({ spender, purpose: "main", target });
const spent = (amount: number) => ({
  usage: zeroUsage,
  cost: { status: "actual", source: "provider_cost_api", usd: amount } as const,
});

function gate(
  limits: BudgetLimits,
  { clock = new FakeClock(), ledger }: { clock?: FakeClock; ledger?: MoneyLedger } = {},
) {
  const logger = memoryLogger();
  const account = ledger ?? new MemoryMoneyLedger(clock);
  return { open: new BudgetGate({ limits: () => limits, ledger: account, clock, logger }), ledger: account, logger };
}

async function reserved(open: BudgetGate, amount: number, spender: Spender = { sessionId: "s" }) {
  const outcome = await open.reserve(by(spender), usd(amount));
  if (outcome.kind !== "reserved") throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome;
}

describe("the account of a process that keeps nothing", () => {
  let fixture = { clock: new FakeClock(), ledger: new MemoryMoneyLedger(new FakeClock()) };
  beforeEach(() => {
    const clock = new FakeClock();
    fixture = { clock, ledger: new MemoryMoneyLedger(clock) };
  });
  moneyLedgerContract(() => fixture);
});

describe("the money gate", () => {
  it("A14.6: refuses the next call once the session limit is reached [20:A14.6]", async () => {
    const { open } = gate({ ...hard, sessionUsd: 0.1 });
    const first = await reserved(open, 0.06);
    await open.settle(first.id, spent(0.1));
    const refused = await open.reserve(by({ sessionId: "s" }), usd(0.001));
    expect(refused).toEqual({ kind: "refused", reason: "limit", ceiling: "session", spentUsd: 0.1, limitUsd: 0.1 });
    if (refused.kind === "refused") expect(describeRefusal(refused)).toContain("budget.session_usd");
    await reserved(open, 0.05, { sessionId: "another" });
  });

  it("gives back what a call did not need, and everything of a call that was not made", async () => {
    const { open, ledger } = gate({ ...hard, sessionUsd: 1 });
    const first = await reserved(open, 0.9);
    await open.settle(first.id, spent(0.2));
    const second = await reserved(open, 0.8);
    await open.release(second.id);
    await open.release(second.id);
    await open.settle(second.id, spent(5));
    expect((await ledger.spent({ sessionId: "s" })).usd).toBe(0.2);
    await reserved(open, 0.8);
  });

  it("a person's day has a limit of its own", async () => {
    const { open } = gate({ ...hard, userDayUsd: 1 });
    await reserved(open, 0.7, { sessionId: "one", userId: "ann" });
    const refused = await open.reserve(by({ sessionId: "two", userId: "ann" }), usd(0.7));
    expect(refused).toMatchObject({ kind: "refused", ceiling: "user" });
    await reserved(open, 0.7, { sessionId: "three", userId: "ben" });
  });

  it("a soft limit warns once per session and lets the call through", async () => {
    const { open } = gate({ mode: "soft", unknownPrice: "allow", sessionUsd: 0.1, dayUsd: 0.1 });
    expect((await reserved(open, 0.2)).warnings.map((one) => one.ceiling)).toEqual(["session", "day"]);
    expect((await reserved(open, 0.2)).warnings).toEqual([]);
  });

  it("the day begins anew at midnight, and a call counts on the day it began", async () => {
    const clock = new FakeClock(new Date(2026, 0, 1, 23, 59).getTime());
    const { open, ledger } = gate({ ...hard, dayUsd: 1 }, { clock });
    const late = await reserved(open, 1);
    expect(await open.reserve(by({ sessionId: "s" }), usd(1))).toMatchObject({ ceiling: "day" });
    await clock.advance(120_000);
    await reserved(open, 1);
    await open.settle(late.id, spent(0.5));
    expect((await ledger.spent({ sinceMs: new Date(2026, 0, 2).getTime() })).usd).toBe(1);
  });

  it("without a limit a call is counted when it is over, and nothing is set aside before", async () => {
    const { open, ledger } = gate(hard);
    const { id } = await reserved(open, 1);
    expect((await ledger.spent({})).calls).toBe(0);
    await open.settle(id, spent(0.5));
    expect(await ledger.spent({})).toMatchObject({ usd: 0.5, calls: 1 });
  });

  it("an account that cannot be asked stops the call, one that cannot be written takes no answer away", async () => {
    const broken = (): Promise<never> => Promise.reject(new Error("disk full"));
    const clock = new FakeClock();
    const ledger: MoneyLedger = { hold: broken, settle: broken, release: broken, spent: broken };
    await expect(
      gate({ ...hard, dayUsd: 1 }, { clock, ledger }).open.reserve(by({ sessionId: "s" }), usd(1)),
    ).rejects.toThrow("disk full");
    const { open, logger } = gate(hard, { clock, ledger });
    const { id } = await reserved(open, 1);
    await open.settle(id, spent(1));
    expect(logger.lines.map(({ message }) => message)).toEqual(["accounting for a call failed"]);
  });
});

describe("unknown prices", () => {
  const unknown = {
    quote: { billingMode: "unknown", source: "none", isIncluded: false } as const,
    promptTokens: 96_000,
    maxOutputTokens: 4_000,
  };

  it("count by assumption, never as zero [10:LOOP-58]", async () => {
    const limits = { ...hard, sessionUsd: 1.5 };
    const estimate = estimateCall(unknown);
    expect(estimate).toEqual({ nanoUsd: toNanoUsd(1), isAssumed: true });
    const { open, ledger } = gate(limits);
    const first = await open.reserve(by({ sessionId: "s" }), estimate);
    expect(first).toMatchObject({ kind: "reserved", isAssumed: true });
    const cost = { status: "unknown", source: "none" } as const;
    if (first.kind === "reserved") await open.settle(first.id, { usage: zeroUsage, cost });
    expect((await ledger.spent({ sessionId: "s" })).usd).toBe(1);
    expect(await open.reserve(by({ sessionId: "s" }), estimate)).toMatchObject({ kind: "refused", reason: "limit" });
  });

  it("are refused where the configuration says so, but only under a hard ceiling", async () => {
    const refuse = { ...hard, unknownPrice: "refuse" } as const;
    const estimate = estimateCall(unknown);
    const outcome = await gate({ ...refuse, dayUsd: 100 }).open.reserve(by({ sessionId: "s" }), estimate);
    expect(outcome).toEqual({ kind: "refused", reason: "unknown-price" });
    expect((await gate(refuse).open.reserve(by({ sessionId: "s" }), estimate)).kind).toBe("reserved");
  });

  it("subscriptions cost nothing and are never refused", async () => {
    const estimate = estimateCall({ promptTokens: 1e6, quote: { ...quote, isIncluded: true } });
    expect(estimate).toEqual({ nanoUsd: 0, isAssumed: false });
    const { open } = gate({ ...hard, sessionUsd: 0.1 });
    const { id } = await reserved(open, 0.1);
    await open.settle(id, spent(0.1));
    expect((await open.reserve(by({ sessionId: "s" }), estimate)).kind).toBe("reserved");
  });

  it("known prices are estimated from the prompt and a usual answer", () => {
    const call = {
      promptTokens: 1_000_000,
      maxOutputTokens: 128_000,
      quote: { ...quote, prices: { input: 3, output: 15 } },
    };
    expect(estimateCall(call)).toEqual({ nanoUsd: toNanoUsd(3 + 0.06144), isAssumed: false });
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

  it("keeps spent and set aside money under every hard ceiling", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { open, ledger } = gate({ ...hard, sessionUsd: 0.6, dayUsd: 1, treeUsd: 0.9 });
        const held: { id: string; usd: number }[] = [];
        let settled = 0;
        for (const { act, which, amount, share, session } of steps) {
          const chosen = held[which];
          if (act === "reserve" || chosen === undefined) {
            const outcome = await open.reserve(by({ sessionId: session, treeId: "t" }), usd(amount / 1000));
            if (outcome.kind === "reserved") held.push({ id: outcome.id, usd: amount / 1000 });
            continue;
          }
          held.splice(which, 1);
          if (act === "release") await open.release(chosen.id);
          else {
            await open.settle(chosen.id, spent(chosen.usd * share));
            settled += chosen.usd * share;
          }
        }
        const total = (await ledger.spent({})).usd;
        expect(total).toBeCloseTo(settled + held.reduce((sum, one) => sum + one.usd, 0), 9);
        expect(total).toBeLessThanOrEqual(0.9 + 1e-9);
        for (const sessionId of ["a", "b"])
          expect((await ledger.spent({ sessionId })).usd).toBeLessThanOrEqual(0.6 + 1e-9);
      }),
      { numRuns: 60 },
    );
  });
});
