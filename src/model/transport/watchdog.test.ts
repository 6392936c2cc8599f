import { describe, expect, it } from "vitest";
import { FakeClock } from "#foundation/testing/fake-clock";
import { Watchdog } from "./watchdog.ts";

describe("the watchdog", () => {
  it("fires when nothing touches a limit, and says which and how long [20:R1.61]", async () => {
    const clock = new FakeClock();
    using watchdog = new Watchdog(clock);
    watchdog.arm("idle", 100);
    watchdog.arm("total", 10_000);
    await clock.advance(60);
    watchdog.touch("idle");
    await clock.advance(60);
    expect(watchdog.signal.aborted).toBe(false);
    await clock.advance(40);
    expect(watchdog.signal.aborted).toBe(true);
    expect(watchdog.expired).toEqual({ limit: "idle", waitedMs: 100 });
  });

  it("ignores limits of zero and those that were taken away", async () => {
    const clock = new FakeClock();
    using watchdog = new Watchdog(clock);
    watchdog.arm("stale", 0);
    watchdog.arm("connect", 50);
    watchdog.disarm("connect");
    await clock.advance(1_000_000);
    expect(watchdog.signal.aborted).toBe(false);
  });

  it("wakes for a shorter limit that is set later", async () => {
    const clock = new FakeClock();
    using watchdog = new Watchdog(clock);
    watchdog.arm("total", 10_000);
    await clock.advance(10);
    watchdog.arm("idle", 5);
    await clock.advance(5);
    expect(watchdog.expired?.limit).toBe("idle");
  });

  it("is quiet once it is disposed", async () => {
    const clock = new FakeClock();
    const watchdog = new Watchdog(clock);
    watchdog.arm("total", 10);
    watchdog[Symbol.dispose]();
    await clock.advance(100);
    expect(watchdog.signal.aborted).toBe(false);
  });
});
