import { describe, expect, it } from "vitest";
import { FakeClock } from "#foundation/testing/fake-clock";
import { FirstCalls } from "./first-calls.ts";

const awayMs = 60_000;

/** An account that was listened for before, and is listened for again after a minute. */
async function back() {
  const clock = new FakeClock();
  const ports = {
    clock,
    position: () => Promise.resolve("1"),
    keepPosition: () => Promise.resolve(),
  };
  await clock.advance(awayMs);
  const openedAtMs = clock.now();
  const calls = await FirstCalls.open(ports, "me");
  const taken: string[] = [];
  return {
    clock,
    calls,
    taken,
    /** Written so long before, or after, it was listened again. */
    call: (name: string, ms: number) =>
      void calls.take(openedAtMs + ms, () => Promise.resolve(taken.push(name))).catch(() => undefined),
  };
}

describe("calls that come after a time away", () => {
  it("are taken after two seconds when none was missed", async () => {
    const { clock, calls, call, taken } = await back();
    call("new", 0);
    await clock.advance(1_900);
    expect(taken).toEqual([]);
    await clock.advance(100);
    expect(taken).toEqual(["new"]);
    call("next", 2_000);
    await clock.advance(0);
    expect(taken).toEqual(["new", "next"]);
    await calls[Symbol.asyncDispose]();
  });

  it("wait for missed ones that are repeated late, and are taken as they were written [40:SCL-18]", async () => {
    const { clock, calls, call, taken } = await back();
    call("fourth", 500);
    call("third", -5_000);
    await clock.advance(3_900);
    call("second", -10_000);
    await clock.advance(3_900);
    call("first", -20_000);
    await clock.advance(3_900);
    expect(taken).toEqual([]);
    await clock.advance(100);
    expect(taken).toEqual(["first", "second", "third", "fourth"]);
    await calls[Symbol.asyncDispose]();
  });

  it("wait fifteen seconds at the most", async () => {
    const { clock, calls, call, taken } = await back();
    for (let passedMs = 0; passedMs < 15_000; passedMs += 1_000) {
      call(`missed ${passedMs}`, -10_000);
      expect(taken).toEqual([]);
      await clock.advance(1_000);
    }
    expect(taken).toHaveLength(15);
    await calls[Symbol.asyncDispose]();
  });

  it("are not taken when the connection ends before; the service repeats them", async () => {
    const { calls, taken, call } = await back();
    call("new", 0);
    await calls[Symbol.asyncDispose]();
    expect(taken).toEqual([]);
  });
});
