import { describe, expect, it } from "vitest";
import { never, raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { testScope } from "../testing.ts";
import { Callers } from "./callers.ts";

const context = (key: string, signal: AbortSignal = never) => ({ scope: testScope({ key }), signal });
const forever = (signal: AbortSignal): Promise<never> => raceAbort(new Promise<never>(() => undefined), signal);

describe("the requests a server works on", () => {
  it("name the conversation only while it is one [30:6.5]", async () => {
    const callers = new Callers(new FakeClock());
    const first = new Deferred<void>();
    const second = new Deferred<void>();
    expect(callers.current).toBeUndefined();
    const one = callers.run(context("a"), 1_000, () => first.promise);
    const same = callers.run(context("a"), 1_000, () => first.promise);
    expect(callers.current?.scope.key).toBe("a");
    const other = callers.run(context("b"), 1_000, () => second.promise);
    expect(callers.current).toBeUndefined();
    first.resolve();
    await Promise.all([one, same]);
    expect(callers.current?.scope.key).toBe("b");
    second.resolve();
    await other;
    expect(callers.current).toBeUndefined();
  });

  it("run out of time, but not while the person is asked [30:MCP-19] [30:6.5]", async () => {
    const clock = new FakeClock();
    const callers = new Callers(clock);
    const ended = callers.run(context("a"), 1_000, forever).catch((error: Error) => error.message);
    const question = callers.current;
    const hold = question?.hold();
    await clock.advance(60_000);
    expect(question?.signal.aborted).toBe(false);
    hold?.[Symbol.dispose]();
    await clock.advance(2_000);
    expect(await ended).toBe("Request timed out");
    expect(question?.signal.aborted).toBe(true);
  });

  it("close what was asked when they end, or are stopped [30:MCP-19]", async () => {
    const callers = new Callers(new FakeClock());
    const done = new Deferred<void>();
    const run = callers.run(context("a"), 1_000, () => done.promise);
    const { signal } = callers.current ?? {};
    done.resolve();
    await run;
    expect(signal?.aborted).toBe(true);
    const stop = new AbortController();
    const stopped = callers.run(context("a", stop.signal), 1_000, forever).catch(() => "stopped");
    stop.abort();
    expect(await stopped).toBe("stopped");
  });
});
