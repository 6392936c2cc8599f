import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { Company } from "./company.ts";

/** Who was let in so far, in order. */
function doorkeeper() {
  const clock = new FakeClock();
  const company = new Company(clock);
  const inside: string[] = [];
  const places = new Map<string, Disposable>();
  const enter = async (name: string, suspicion = 0, signal: AbortSignal = never): Promise<void> => {
    places.set(name, await company.enter(suspicion, signal));
    inside.push(name);
  };
  const leave = async (name: string): Promise<void> => {
    places.get(name)?.[Symbol.dispose]();
    await clock.advance(0);
  };
  return { clock, inside, enter, leave };
}

describe("chats of one process", () => {
  it("are served beside each other [40:SCL-18]", async () => {
    const { inside, enter } = doorkeeper();
    await enter("a");
    await enter("b");
    expect(inside).toEqual(["a", "b"]);
  });

  it("wait for one with which a program has ended, and it waits for them [40:A-SCL-12]", async () => {
    const { clock, inside, enter, leave } = doorkeeper();
    await enter("a");
    const suspect = enter("suspect", 1);
    const late = enter("late");
    await clock.advance(1_000);
    expect(inside).toEqual(["a"]);
    await leave("a");
    await suspect;
    await clock.advance(1_000);
    expect(inside).toEqual(["a", "suspect"]);
    await leave("suspect");
    await late;
    expect(inside).toEqual(["a", "suspect", "late"]);
  });

  it("do not wait long, and twice as long after each further end [40:A-SCL-12]", async () => {
    const { clock, inside, enter, leave } = doorkeeper();
    await enter("suspect", 2);
    const late = enter("late");
    await clock.advance(9_999);
    expect(inside).toEqual(["suspect"]);
    await clock.advance(1);
    await late;
    // It stays, and counts as one of them.
    const next = enter("next", 1);
    await leave("late");
    await clock.advance(4_999);
    expect(inside).toEqual(["suspect", "late"]);
    await clock.advance(1);
    await next;
    await enter("beside");
    expect(inside).toEqual(["suspect", "late", "next", "beside"]);
  });

  it("that are under suspicion are served one after the other", async () => {
    const { inside, enter, leave } = doorkeeper();
    const all = ["a", "b", "c"].map((name) => enter(name, 1));
    await all[0];
    expect(inside).toEqual(["a"]);
    await leave("a");
    await all[1];
    expect(inside).toEqual(["a", "b"]);
    await leave("b");
    await all[2];
  });

  it("that wait when the program ends are let go, and those behind them go on", async () => {
    const { inside, enter } = doorkeeper();
    const stop = new AbortController();
    await enter("a");
    const suspect = enter("suspect", 1, stop.signal);
    const late = enter("late");
    stop.abort();
    await expect(suspect).rejects.toThrow();
    await late;
    expect(inside).toEqual(["a", "late"]);
  });
});
