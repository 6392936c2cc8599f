import { afterEach, describe, expect, it } from "vitest";
import type { TurnId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { Scope } from "#foundation/lifecycle/disposal";
import { FakeClock } from "#foundation/testing/fake-clock";
import { openStore } from "#store";
import { registrations } from "../rights/registration.ts";
import { blame, chatLease, judge } from "./blame.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

const restMs = 20_000;
const leaseMs = 1_000;

/** A message, and programs that are killed: with it alone in work, or with nothing at all. */
async function court() {
  const scope = new Scope();
  scopes.push(scope);
  const clock = new FakeClock();
  const store = scope.adopt(await openStore({ memory: true }, { clock, log: silentLogger }));
  const event = { platform: "telegram", account: "bot", kind: "message" as const, event: { text: "hello" } };
  const { id } = await store.inbox.admit({ ...event, dedupKey: "1", sessionKey: "k" });
  let programs = 0;
  const start = async (): Promise<string> => {
    programs += 1;
    const owner = `elsewhere/${programs}/x`;
    await store.leases.acquire(`${registrations("worker")}${owner}`, owner, leaseMs);
    return owner;
  };
  const dies = () => clock.advance(leaseMs);
  return {
    clock,
    attempts: async () => (await store.inbox.get(id))?.attempts,
    verdict: () => judge(store, "k", clock.now()),
    async diesWithIt() {
      const owner = await start();
      await store.leases.acquire(chatLease("k"), owner, leaseMs);
      await store.inbox.claim([id], `turn${programs}` as TurnId);
      await dies();
      await blame(store, { owner, isDead: true }, clock.now());
      await store.inbox.release(`turn${programs}` as TurnId);
    },
    async diesWithoutIt() {
      await start();
      await dies();
    },
  };
}

describe("a message with which programs die", () => {
  it("rests before its last attempt, and has none left when nothing died meanwhile [40:SCL-11] [40:PRC-30]", async () => {
    const { clock, attempts, verdict, diesWithIt } = await court();
    await diesWithIt();
    expect(await verdict()).toEqual({ suspicion: 1, restsUntilMs: 0 });
    await diesWithIt();
    expect(await verdict()).toEqual({ suspicion: 2, restsUntilMs: clock.now() + restMs });
    await clock.advance(restMs);
    expect((await verdict()).restsUntilMs).toBeLessThanOrEqual(clock.now());
    await diesWithIt();
    expect(await attempts()).toBe(3);
  });

  it("is not held to account while programs die without it too [40:SCL-11] [40:A-SCL-1]", async () => {
    const { attempts, verdict, diesWithIt, diesWithoutIt } = await court();
    for (let round = 0; round < 5; round += 1) {
      await diesWithIt();
      await diesWithIt();
      expect(await attempts()).toBe(2);
      await diesWithoutIt();
      expect(await verdict()).toEqual({ suspicion: 0, restsUntilMs: 0 });
    }
  });

  it("is given up in the end, whatever else dies", async () => {
    const { attempts, verdict, diesWithIt, diesWithoutIt } = await court();
    let deaths = 0;
    for (; ((await attempts()) ?? 0) < 3 && deaths < 100; deaths += 1) {
      await diesWithIt();
      await diesWithoutIt();
      await verdict();
    }
    expect(deaths).toBeGreaterThan(3);
    expect(deaths).toBeLessThan(30);
  });
});
