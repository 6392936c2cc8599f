import { describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { leaseOwner, openStore } from "#store";
import { withAccountLock } from "./account-lock.ts";
import { whileAlone } from "./sole-right.ts";

async function two() {
  const clock = new FakeClock();
  const store = await openStore({ memory: true }, { clock, log: silentLogger });
  const common = { store, clock, logger: silentLogger };
  return { store, clock, first: { ...common, owner: leaseOwner() }, second: { ...common, owner: leaseOwner() } };
}

/** Works until it is told to stop. */
const until = (during: AbortSignal, began: () => void): Promise<void> =>
  new Promise((resolve) => {
    began();
    during.addEventListener("abort", () => resolve());
  });

describe("what one process may do at a time", () => {
  it("is done by one, and by another when that one is gone [40:SCL-13] [40:MNT-3]", async () => {
    const { clock, first, second, store } = await two();
    const stop = [new AbortController(), new AbortController()] as const;
    const working: string[] = [];
    const [one, standsBy, other] = [new Deferred<void>(), new Deferred<void>(), new Deferred<void>()];
    const work = (name: string, began: Deferred<void>) => (during: AbortSignal) =>
      until(during, () => {
        working.push(name);
        began.resolve();
      });
    const running = [whileAlone("maintenance", { deps: first, signal: stop[0].signal }, work("first", one))];
    await one.promise;
    const waiting = { ...second, onWaiting: () => standsBy.resolve() };
    running.push(whileAlone("maintenance", { deps: waiting, signal: stop[1].signal }, work("second", other)));
    await standsBy.promise;
    expect(working).toEqual(["first"]);
    stop[0].abort();
    await running[0];
    await clock.advance(5_000);
    await other.promise;
    expect(working).toEqual(["first", "second"]);
    stop[1].abort();
    await Promise.all(running);
    await store[Symbol.asyncDispose]();
  });

  it("stops when another took it over, and is waited for again [40:SCL-13]", async () => {
    const { clock, first, store } = await two();
    const stop = new AbortController();
    const began = new Deferred<void>();
    const ended = new Deferred<void>();
    const running = whileAlone("sender:x", { deps: first, signal: stop.signal }, async (during) => {
      await until(during, () => began.resolve());
      ended.resolve();
    });
    await began.promise;
    const held = await store.leases.get("sender:x");
    if (held === undefined) throw new Error("nothing is held");
    await store.leases.release(held);
    await store.leases.acquire("sender:x", "elsewhere/1/0", 600_000);
    await clock.advance(10_000);
    await ended.promise;
    stop.abort();
    await running;
    expect((await store.leases.get("sender:x"))?.owner).toBe("elsewhere/1/0");
    await store[Symbol.asyncDispose]();
  });

  it("on a shared server an account is a lease, and the store never holds the credential [40:PRC-20] [40:SCL-13]", async () => {
    const { first, store } = await two();
    const shared = { ...store, kind: "postgres" } as const;
    const names: string[] = [];
    const lock = { scope: "telegram-bot-token", identity: "123456:ABC-token" };
    const deps = { ...first, store: shared, env: {} };
    await withAccountLock(lock, { deps, signal: new AbortController().signal }, async () => {
      names.push(...(await store.leases.held("adapter:")).map(({ name }) => name));
    });
    expect(names).toEqual(["adapter:telegram-bot-token:1da66bad037a7c6a"]);
    expect(await store.leases.held("adapter:")).toEqual([]);
    await store[Symbol.asyncDispose]();
  });
});
