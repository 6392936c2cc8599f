import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { Reach } from "./reach.ts";
import { reasonToEnd } from "./reason-to-end.ts";

const failed = { state: "retrying", errorCode: "x", errorMessage: "no route" } as const;
const fatal = { state: "fatal", errorCode: "x", errorMessage: "revoked" } as const;

function watched(...platforms: readonly string[]) {
  const clock = new FakeClock();
  const reach = new Reach(platforms, clock);
  let hasOtherWork = false;
  let reason: string | undefined;
  const deps = { reach, clock, unreachableMs: 120_000, hasOtherWork: () => Promise.resolve(hasOtherWork) };
  void reasonToEnd(deps, never).then((why) => {
    reason = why;
  });
  return {
    clock,
    reach,
    reason: () => reason,
    otherWork: (has: boolean) => {
      hasOtherWork = has;
    },
  };
}

describe("a process that reaches no platform", () => {
  it("has a reason to end when the last one stays away, not when it comes back in time [40:PRC-35]", async () => {
    const { clock, reach, reason } = watched("a", "b");
    reach.report("a", { state: "connected" });
    reach.report("b", fatal);
    await clock.advance(600_000);
    reach.report("a", failed);
    await clock.advance(60_000);
    reach.report("a", { state: "connecting" });
    reach.report("a", { state: "connected" });
    await clock.advance(600_000);
    expect(reason()).toBeUndefined();
    reach.report("a", failed);
    await clock.advance(60_000);
    reach.report("a", { state: "connecting" });
    reach.report("a", failed);
    await clock.advance(59_000);
    expect(reason()).toBeUndefined();
    await clock.advance(2_000);
    expect(reason()).toBe("unreachable");
  });

  it("waits for the first attempt of each, and stands by for an account that another has [40:PRC-35] [40:PRC-6]", async () => {
    const { clock, reach, reason } = watched("a", "b");
    reach.report("a", failed);
    reach.report("b", { state: "connecting" });
    await clock.advance(600_000);
    expect(reason()).toBeUndefined();
    reach.report("b", { state: "standby" });
    await clock.advance(600_000);
    expect(reason()).toBeUndefined();
    reach.report("b", fatal);
    await clock.advance(121_000);
    expect(reason()).toBe("unreachable");
  });

  it("goes on while it has other work, and ends when that is done [40:PRC-35]", async () => {
    const { clock, reach, reason, otherWork } = watched("a");
    otherWork(true);
    reach.report("a", fatal);
    await clock.advance(600_000);
    expect(reason()).toBeUndefined();
    otherWork(false);
    await clock.advance(60_000);
    expect(reason()).toBe("hopeless");
  });
});
