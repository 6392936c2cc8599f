import { describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "../index.ts";
import { makeLocation } from "./testing/place.ts";
import { maxAttempts, whileBusy } from "./write-lock.ts";

function busy(): Error {
  return Object.assign(new Error("database is locked"), { errcode: 5 });
}

describe("waiting for the write lock", () => {
  it("tries fifteen times for a second each, with random pauses of 20 to 150 ms between, then gives up [10:STORE-2]", async () => {
    const clock = new FakeClock(0, { autoAdvance: true });
    await expect(
      whileBusy(
        () => {
          throw busy();
        },
        { clock, signal: never },
      ),
    ).rejects.toThrow("database is locked");
    const pauses = clock.slept.filter((ms) => ms > 15);
    expect(pauses).toHaveLength(maxAttempts - 1);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(20);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(150);
    expect(clock.now()).toBeGreaterThanOrEqual(15_000);
  });

  it("goes on as soon as the lock is free", async () => {
    const clock = new FakeClock(0, { autoAdvance: true });
    let calls = 0;
    const value = await whileBusy(
      () => {
        calls += 1;
        if (calls < 4) throw busy();
        return "mine";
      },
      { clock, signal: never },
    );
    expect(value).toBe("mine");
    expect(clock.slept).toEqual([1, 1, 1]);
  });

  it("lets any other error through at once [10:STORE-2]", async () => {
    const clock = new FakeClock(0, { autoAdvance: true });
    const act = (): never => {
      throw new Error("no such table");
    };
    expect(() => whileBusy(act, { clock, signal: never })).toThrow("no such table");
    expect(clock.slept).toEqual([]);
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    const clock = new FakeClock(0);
    const waiting = whileBusy(
      () => {
        throw busy();
      },
      { clock, signal: controller.signal },
    );
    await clock.sleeping();
    controller.abort(new Error("closing"));
    await expect(waiting).rejects.toThrow("closing");
  });

  it("leaves the thread free while another process holds the lock [10:STORE-4]", async () => {
    await using location = await makeLocation();
    await using store = await openStore({ path: location.path }, { clock: systemClock, log: silentLogger });
    using other = await location.connect();
    other.exec("BEGIN IMMEDIATE");
    const append = store.messages.append("s" as SessionId, [{ role: "user", content: "patience" }]);
    // A wait that held the thread could not end: whoever has the lock gives it back on this very thread.
    let isOver = false;
    void append.then(() => {
      isOver = true;
    });
    for (let turn = 0; turn < 100; turn += 1) await systemClock.sleep(1, never);
    expect(isOver).toBe(false);
    other.exec("COMMIT");
    expect((await append).ids).toHaveLength(1);
  });
});
