import { describe, expect, it } from "vitest";
import { defined } from "#foundation/defined";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { testTarget } from "../testing/target.ts";
import { Pacing } from "./pacing.ts";

function at(baseUrl: string, minIntervalMs?: number) {
  const target = testTarget({ baseUrl });
  return { ...target, timeouts: { ...target.timeouts, ...defined({ minIntervalMs }) } };
}

describe("the distance between requests [20:R2.7]", () => {
  it("lets the first go at once and the next after the rest of the interval", async () => {
    const clock = new FakeClock(0, { autoAdvance: true });
    const pacing = new Pacing();
    const slow = at("https://slow.test/v1", 2_000);
    await pacing.turn(slow, clock, never);
    await clock.advance(500);
    await pacing.turn(slow, clock, never);
    await clock.advance(5_000);
    await pacing.turn(slow, clock, never);
    expect(clock.slept).toEqual([1_500]);
  });

  it("sends those who wait together one by one", async () => {
    const clock = new FakeClock(0);
    const pacing = new Pacing();
    const slow = at("https://slow.test/v1", 1_000);
    const gone: number[] = [];
    const all = [1, 2, 3].map(async () => {
      await pacing.turn(slow, clock, never);
      gone.push(clock.now());
    });
    await clock.advance(1_000);
    await clock.advance(1_000);
    await Promise.all(all);
    expect(gone).toEqual([0, 1_000, 2_000]);
  });

  it("holds up no other address and nobody without an interval", async () => {
    const clock = new FakeClock(0);
    const pacing = new Pacing();
    await pacing.turn(at("https://slow.test/v1", 1_000), clock, never);
    await pacing.turn(at("https://other.test/v1", 1_000), clock, never);
    for (const target of [at("https://free.test/v1"), at("https://free.test/v1", 0)]) {
      await pacing.turn(target, clock, never);
      await pacing.turn(target, clock, never);
    }
    expect(clock.slept).toEqual([]);
  });

  it("gives the moment of an aborted attempt to the next one", async () => {
    const clock = new FakeClock(0);
    const pacing = new Pacing();
    const slow = at("https://slow.test/v1", 1_000);
    await pacing.turn(slow, clock, never);
    const person = new AbortController();
    const input = pacing.turn(slow, clock, person.signal);
    person.abort(new Error("enough"));
    await expect(input).rejects.toThrow("enough");
    const next = pacing.turn(slow, clock, never);
    expect(clock.slept).toEqual([1_000, 1_000]);
    await clock.advance(1_000);
    await next;
  });
});
