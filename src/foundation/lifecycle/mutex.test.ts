import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Deferred } from "./deferred.ts";
import { KeyedMutex, Mutex } from "./mutex.ts";

describe("a mutex", () => {
  test("lets one in at a time, first come first served", async () => {
    const mutex = new Mutex();
    const log: string[] = [];
    const gate = new Deferred<void>();
    const work = (name: string) => async (): Promise<void> => {
      log.push(`${name} in`);
      await gate.promise;
      log.push(`${name} out`);
    };
    const all = ["a", "b", "c"].map((name) => mutex.run(work(name)));
    gate.resolve();
    await Promise.all(all);
    expect(log).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
    expect(mutex.isLocked).toBe(false);
  });

  test("is released by work that throws, and passes the error on", async () => {
    const mutex = new Mutex();
    await expect(mutex.run(() => Promise.reject(new Error("x")))).rejects.toThrow("x");
    expect(await mutex.run(() => 5)).toBe(5);
  });

  test("a waiter whose signal fires gives its place up, and the next one still gets in", async () => {
    const mutex = new Mutex();
    const controller = new AbortController();
    const hold = await mutex.lock();
    const gaveUp = mutex.lock(controller.signal);
    const next = mutex.lock();
    controller.abort("enough");
    await expect(gaveUp).rejects.toBe("enough");
    hold[Symbol.dispose]();
    (await next)[Symbol.dispose]();
    expect(mutex.isLocked).toBe(false);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  test("a signal that fires just after the lock was handed over does not lose the lock", async () => {
    const mutex = new Mutex();
    const controller = new AbortController();
    const hold = await mutex.lock();
    const waiting = mutex.lock(controller.signal);
    hold[Symbol.dispose]();
    controller.abort();
    (await waiting)[Symbol.dispose]();
    expect(mutex.isLocked).toBe(false);
  });

  test("releasing twice does not release the next holder", async () => {
    const mutex = new Mutex();
    const first = await mutex.lock();
    const second = mutex.lock();
    first[Symbol.dispose]();
    await second;
    first[Symbol.dispose]();
    expect(mutex.isLocked).toBe(true);
  });

  test("no schedule of locks and aborts lets two in", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 12 }), fc.scheduler(), async (aborts, scheduler) => {
        const mutex = new Mutex();
        let inside = 0;
        const all = aborts.map(async (isAborted) => {
          const controller = new AbortController();
          const running = mutex.run(async () => {
            inside += 1;
            expect(inside).toBe(1);
            await scheduler.schedule(Promise.resolve());
            inside -= 1;
          }, controller.signal);
          if (isAborted) void scheduler.schedule(Promise.resolve()).then(() => controller.abort("x"));
          await running.catch((error: unknown) => {
            if (error !== "x") throw error;
          });
        });
        await scheduler.waitFor(Promise.all(all));
        expect(mutex.isLocked).toBe(false);
      }),
    );
  });
});

describe("a keyed mutex", () => {
  test("different keys do not wait for each other, the same key does", async () => {
    const mutex = new KeyedMutex<string>();
    const hold = await mutex.lock("a");
    expect(await mutex.run("b", () => "free")).toBe("free");
    let isIn = false;
    const waiting = mutex.run("a", () => {
      isIn = true;
    });
    await Promise.resolve();
    expect(isIn).toBe(false);
    hold[Symbol.dispose]();
    await waiting;
    expect(isIn).toBe(true);
  });

  test("keys nobody uses are forgotten, also after an abort", async () => {
    const mutex = new KeyedMutex<string>();
    const hold = await mutex.lock("a");
    const controller = new AbortController();
    const waiting = mutex.lock("a", controller.signal);
    controller.abort("x");
    await expect(waiting).rejects.toBe("x");
    expect(mutex.size).toBe(1);
    hold[Symbol.dispose]();
    hold[Symbol.dispose]();
    expect(mutex.size).toBe(0);
  });
});
