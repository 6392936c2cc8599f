import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { Clock } from "#foundation/time/clock";
import { openStore } from "#store";
import { maintain } from "./maintenance.ts";

const hourMs = 3_600_000;
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-maintenance-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A clock that is set forward without anybody sleeping through it; whoever sleeps wakes with the next tick. */
class JumpingClock implements Clock {
  readonly #sleepers = new Set<Deferred<void>>();
  #nowMs = Date.now();

  now(): number {
    return this.#nowMs;
  }

  async sleep(_ms: number, signal: AbortSignal): Promise<void> {
    const woken = new Deferred<void>();
    this.#sleepers.add(woken);
    using _end = onAbort(signal, woken.reject);
    await woken.promise.finally(() => this.#sleepers.delete(woken));
  }

  /** Everybody wakes, this much later by the clock. */
  async tick(ms: number): Promise<void> {
    await expect.poll(() => this.#sleepers.size).toBeGreaterThanOrEqual(2);
    this.#nowMs += ms;
    for (const sleeper of [...this.#sleepers]) sleeper.resolve();
    await expect.poll(() => this.#sleepers.size).toBeGreaterThanOrEqual(2);
  }
}

async function maintained(expire: () => Promise<void>, owners: readonly string[] = ["test"]) {
  const clock = new JumpingClock();
  const logger = memoryLogger();
  const store = await openStore({ memory: true }, { log: logger, clock });
  const stop = new AbortController();
  const deps = { store, mediaFolders: [folder], chatsLiveMs: 0, expire, clock, logger };
  const running = Promise.all(owners.map((owner) => maintain({ ...deps, owner }, stop.signal)));
  return {
    clock,
    logger,
    store,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await store[Symbol.asyncDispose]();
    },
  };
}

describe("what is done now and then", () => {
  it("forgets files of messages after a day, and nothing else in their folder [40:A-MNT-2] [40:EVT-17]", async () => {
    const ages = {
      "img_0123456789ab.png": 25,
      "audio_0123456789ab.ogg": 25,
      "doc_0123456789ab_a.pdf": 23,
      "mine.png": 99,
    };
    for (const [name, hours] of Object.entries(ages)) {
      const file = path.join(folder, name);
      await writeFile(file, "x");
      const at = new Date(Date.now() - hours * hourMs);
      await utimes(file, at, at);
    }
    await using around = await maintained(() => Promise.resolve());
    await around.clock.tick(70_000);
    await expect
      .poll(() => readdir(folder).then((names) => names.sort()))
      .toEqual(["doc_0123456789ab_a.pdf", "mine.png"]);
  });

  it("goes on when one task fails, and after a jump of the clock each is done once [40:A-MNT-1] [40:A-MNT-5] [40:MNT-2]", async () => {
    let count = 0;
    await using around = await maintained(() => {
      count += 1;
      return count === 1 ? Promise.reject(new Error("broken")) : Promise.resolve();
    });
    const { clock, logger } = around;
    await clock.tick(70_000);
    expect(count).toBe(1);
    expect(JSON.stringify(logger.lines)).toContain("broken");
    await clock.tick(70_000);
    expect(count).toBe(1);
    // Two hours at once: one look, not one for each of the times that were missed.
    await clock.tick(2 * hourMs);
    await clock.tick(1_000);
    expect(count).toBe(2);
  });

  it("is done by one of several processes, once in its time [40:A-MNT-3] [40:SES-10]", async () => {
    let count = 0;
    const expire = () => {
      count += 1;
      return Promise.resolve();
    };
    await using around = await maintained(expire, ["one", "two"]);
    for (let minute = 1; minute <= 10; minute += 1) await around.clock.tick(60_000);
    expect(count).toBe(2);
  });

  it("forgets what was answered and delivered after a week, and what was given up after a month [40:SCL-25]", async () => {
    await using around = await maintained(() => Promise.resolve());
    const { clock, store } = around;
    const admit = async (dedupKey: string): Promise<number> => {
      const entry = {
        dedupKey,
        platform: "fake",
        account: "bot",
        sessionKey: "s",
        kind: "message",
        event: {},
      } as const;
      const admitted = await store.inbox.admit(entry);
      if (admitted.kind !== "admitted") throw new Error("twice");
      return admitted.id;
    };
    const [done, dead, waiting] = [await admit("a"), await admit("b"), await admit("c")];
    await store.inbox.finish([done], "done");
    await store.inbox.bury([dead]);
    const to = { platform: "fake", account: "bot", chatId: "1", sessionKey: "s", kind: "send", payload: {} } as const;
    await store.outbox.owe([{ ...to, idempotencyKey: "sent" }]);
    const [sent] = await store.outbox.list({ status: "pending" });
    await store.outbox.markSent(sent?.id ?? 0, "m1");
    const left = async () => ({
      inbox: (await Promise.all([done, dead, waiting].map((id) => store.inbox.get(id)))).map((one) => one?.status),
      outbox: (await store.outbox.counts()).sent,
    });
    await clock.tick(8 * 24 * hourMs);
    await expect.poll(left).toEqual({ inbox: [undefined, "dead", "pending"], outbox: 0 });
    await clock.tick(24 * 24 * hourMs);
    await expect.poll(left).toEqual({ inbox: [undefined, undefined, "pending"], outbox: 0 });
  });
});
