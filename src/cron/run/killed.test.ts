import { afterEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { Aggregates, Store } from "#store";
import { says } from "../../../test/fakes/model-server/index.ts";
import { closeCron, cron } from "../testing/cron-harness.ts";

afterEach(closeCron);

const hour = 3_600_000;
/** Longer than a lease lives without its holder. */
const leaseMs = 40_000;

class Killed extends Error {}

/** A store whose program is killed at one step: before a call, inside its transaction, or after it. From then on nothing comes back. */
function mortal(store: Store, dieAt: number) {
  const died = new Deferred<void>();
  let steps = 0;
  let isDead = false;
  const forever = new Promise<never>(() => undefined);
  const step = async (): Promise<void> => {
    steps += 1;
    if (steps === dieAt) {
      isDead = true;
      died.resolve();
    }
    if (isDead) await forever;
  };
  const aggregate = (real: object): object =>
    new Proxy(real, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          await step();
          const result: unknown = await member.apply(target, args);
          await step();
          return result;
        };
      },
    });
  const transaction: Store["transaction"] = async (fn, options) => {
    await step();
    try {
      const result = await store.transaction(async (tx: Aggregates) => {
        const inner = await fn(tx);
        steps += 1;
        if (steps === dieAt) throw new Killed();
        return inner;
      }, options);
      await step();
      return result;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      isDead = true;
      died.resolve();
      return await forever;
    }
  };
  const wrapped = new Proxy(store, {
    get(target, name) {
      if (name === "transaction") return transaction;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "object" && member !== null ? aggregate(member) : member;
    },
  });
  return { store: wrapped, died: died.promise, steps: () => steps };
}

/** Kills a scheduler at each step of a run in turn, and lets another one take over. */
async function matrix(
  schedule: string,
): Promise<readonly { states: readonly string[]; owed: number; asked: number }[]> {
  const ends: { states: readonly string[]; owed: number; asked: number }[] = [];
  for (let dieAt = 1; ; dieAt += 1) {
    const { jobs, clock, scheduler, server, store, states, owed } = await cron();
    const { id } = await jobs.create({ schedule, prompt: "x", deliver: "telegram:5" });
    server.script(says("Done."), says("Done."));
    await clock.advance(hour);
    const first = mortal(store, dieAt);
    const ended = scheduler({ store: first.store }).tick(never);
    const isDead = await Promise.race([first.died.then(() => true), ended.then(() => false)]);
    if (!isDead) return ends;
    await clock.advance(leaseMs);
    await scheduler().tick(never);
    await clock.advance(leaseMs);
    await scheduler().tick(never);
    ends.push({ states: await states(id), owed: (await owed()).length, asked: server.requests.length });
    await closeCron();
  }
}

describe("a scheduler that is killed at any step of a run", () => {
  it("leaves an occurrence of a recurring job with one row in one final state, never run twice [40:CRN-7] [40:A-CRN-4] [40:CRN-10]", async () => {
    const ends = await matrix("every 1h");
    expect(ends.length).toBeGreaterThan(10);
    for (const { states, owed, asked } of ends) {
      expect([["ok"], ["abandoned"]]).toContainEqual(states);
      expect([owed, asked <= 1]).toEqual([states[0] === "ok" ? 1 : 0, true]);
    }
    expect(new Set(ends.map(({ states }) => states[0]))).toEqual(new Set(["ok", "abandoned"]));
  }, 120_000);

  it("leaves a one-shot done, delivered once [40:CRN-7] [40:A-CRN-4] [40:CRN-10]", async () => {
    const ends = await matrix("1h");
    expect(ends.length).toBeGreaterThan(10);
    for (const { states, owed } of ends) expect([states, owed]).toEqual([["ok"], 1]);
    expect(ends.some(({ asked }) => asked === 2)).toBe(true);
  }, 120_000);
});
