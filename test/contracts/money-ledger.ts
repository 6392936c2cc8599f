import { describe, expect, it } from "vitest";
import { type Ceilings, type MoneyLedger, reservationLifeMs } from "#conversation";
import type { FakeClock } from "#foundation/testing/fake-clock";

const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1 };
const hard: Ceilings = { isHard: true, dayStartMs: 0 };

const call = (usd: number, spender: { sessionId?: string; treeId?: string; userId?: string } = {}) => ({
  spender: { sessionId: "s", ...spender },
  purpose: "main",
  provider: "p",
  model: "m",
  usd,
});

const over = (usd: number, costUsd?: number) => ({
  ...call(usd),
  usage,
  cost: costUsd === undefined ? { status: "unknown" as const, source: "none" } : paid(costUsd),
});

const paid = (usd: number) => ({ status: "actual" as const, source: "provider", usd });

/** What every account of money does. */
export function moneyLedgerContract(fixture: () => { readonly ledger: MoneyLedger; readonly clock: FakeClock }): void {
  describe("money", () => {
    it("is set aside before a call; what does not fit under a hard limit is not; unknown prices are never free", async () => {
      const { ledger } = fixture();
      const ceilings = { ...hard, session: 1 };
      expect(await ledger.hold("one", call(0.4), ceilings)).toEqual([]);
      expect(await ledger.hold("two", call(0.4), ceilings)).toEqual([]);
      const [refused] = await ledger.hold("three", call(0.4), ceilings);
      expect(refused).toMatchObject({ ceiling: "session", limitUsd: 1, spentUsd: expect.closeTo(0.8) as number });
      await ledger.settle("one", over(0.4, 0.1));
      await ledger.settle("two", over(0.4));
      expect(await ledger.spent({ sessionId: "s" })).toEqual({
        usd: expect.closeTo(0.5) as number,
        calls: 2,
        unpricedCalls: 1,
        estimatedCalls: 0,
      });
    });

    it("of calls that the server reported no counts for is told apart from what was counted [20:R6.6]", async () => {
      const { ledger } = fixture();
      await ledger.settle("one", over(0, 0.5));
      await ledger.settle("two", { ...over(0, 0.25), usage: { ...usage, isEstimated: true } });
      expect(await ledger.spent({ sessionId: "s" })).toMatchObject({ usd: 0.75, calls: 2, estimatedCalls: 1 });
      expect(await ledger.spent({ sessionId: "t" })).toMatchObject({ calls: 0, estimatedCalls: 0 });
    });

    it("of a delegated task, of a person's day and of everybody's day has limits of its own", async () => {
      const { ledger, clock } = fixture();
      await ledger.settle("a", { ...over(0, 0.5), spender: { sessionId: "s", treeId: "root", userId: "ann" } });
      const held = (spender: { sessionId?: string; treeId?: string; userId?: string }, ceilings: Partial<Ceilings>) =>
        ledger.hold("b", call(0.4, spender), { ...hard, ...ceilings });
      const child = { sessionId: "child", treeId: "root" };
      expect(await held(child, { tree: 0.8 })).toMatchObject([{ ceiling: "tree", spentUsd: 0.5 }]);
      expect(await held({ sessionId: "x", userId: "ann" }, { user: 0.8 })).toMatchObject([{ ceiling: "user" }]);
      expect(await held({ sessionId: "x" }, { day: 0.8 })).toMatchObject([{ ceiling: "day" }]);
      expect(await held({ sessionId: "x", userId: "ben" }, { user: 0.8, tree: 0.8 })).toEqual([]);
      await ledger.release("b");
      expect(await held({ sessionId: "x" }, { day: 0.8, dayStartMs: clock.now() + 1 })).toEqual([]);
    });

    it("passes a soft limit, which is named", async () => {
      const { ledger } = fixture();
      const soft = { isHard: false, session: 0.1, day: 0.1, dayStartMs: 0 };
      expect((await ledger.hold("one", call(0.2), soft)).map(({ ceiling }) => ceiling)).toEqual(["session", "day"]);
      expect((await ledger.spent({})).usd).toBeCloseTo(0.2);
    });

    it("that was given back, or whose process is gone, counts no longer", async () => {
      const { ledger, clock } = fixture();
      await ledger.hold("one", call(1), hard);
      await ledger.release("one");
      await ledger.hold("two", call(1), hard);
      expect((await ledger.spent({})).usd).toBe(1);
      await clock.advance(reservationLifeMs);
      expect((await ledger.spent({})).usd).toBe(0);
      await ledger.settle("two", over(1, 0.25));
      expect((await ledger.spent({})).usd).toBe(0.25);
    });

    it("is accounted for once, however often a call is said to be over", async () => {
      const { ledger } = fixture();
      await ledger.settle("one", over(1, 0.5));
      await ledger.settle("one", over(1, 0.5));
      await ledger.release("one");
      expect(await ledger.spent({})).toMatchObject({ usd: 0.5, calls: 1 });
    });

    it("for many calls at once is set aside only as far as it goes", async () => {
      const { ledger } = fixture();
      const ids = Array.from({ length: 8 }, (_, index) => `call ${index}`);
      const outcomes = await Promise.all(ids.map((id) => ledger.hold(id, call(0.3), { ...hard, session: 1 })));
      expect(outcomes.filter((reached) => reached.length === 0)).toHaveLength(3);
      expect((await ledger.spent({})).usd).toBeCloseTo(0.9);
    });

    it("counts to the cent: a limit that is met exactly is not passed", async () => {
      const { ledger } = fixture();
      for (const id of ["one", "two", "three"])
        expect(await ledger.hold(id, call(0.1), { ...hard, session: 0.3 })).toEqual([]);
      expect(await ledger.hold("four", call(0.000_001), { ...hard, session: 0.3 })).toHaveLength(1);
    });
  });
}
