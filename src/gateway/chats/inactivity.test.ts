import { describe, expect, it } from "vitest";
import { FakeClock } from "#foundation/testing/fake-clock";
import { Inactivity } from "./inactivity.ts";

describe("a turn that falls silent", () => {
  it("is told of once, then ended; signs of life begin anew [40:FLW-41] [40:A-FLW-15]", async () => {
    const clock = new FakeClock();
    const told: string[] = [];
    let ended = 0;
    using watch = new Inactivity({
      settings: { warnMs: 900_000, endMs: 1_800_000, noteMs: 0 },
      clock,
      tell: (text) => void told.push(text),
      end: () => {
        ended += 1;
      },
    });
    const pass = async (ms: number): Promise<void> => {
      for (let step = 0; step < ms; step += 5_000) await clock.advance(5_000);
    };
    await pass(895_000);
    watch.sign();
    await pass(895_000);
    expect(told).toEqual([]);
    await pass(10_000);
    expect(told).toHaveLength(1);
    watch.pause(true);
    await pass(3_600_000);
    expect(ended).toBe(0);
    watch.pause(false);
    await pass(1_805_000);
    expect(ended).toBe(1);
    expect(told).toHaveLength(3);
  });
});
