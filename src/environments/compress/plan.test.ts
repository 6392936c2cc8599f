import { describe, expect, it } from "vitest";
import { usualCompression } from "./options.ts";
import { planCompression } from "./plan.ts";

const roles = ["system", "human", "gpt", "tool", "gpt", "tool", "gpt", "tool", "gpt", "tool", "gpt", "gpt"] as const;
const turns = roles.map((from) => ({ from }));
const limits = (targetTokens: number, alignsToPairs: boolean) => ({
  targetTokens,
  summaryTokens: 20,
  protectedTurns: usualCompression.protected_turns,
  alignsToPairs,
});

describe("which turns give way to a summary", () => {
  it("as many as are needed, a call with its result [50:3.5.1]", () => {
    const counts = [10, 10, 10, 20, 60, 60, 60, 60, 10, 10, 10, 10];
    expect(planCompression(turns, counts, limits(200, false))).toEqual({ kind: "replace", start: 4, until: 7 });
    expect(planCompression(turns, counts, limits(200, true))).toEqual({ kind: "replace", start: 4, until: 8 });
  });

  it("everything between the protected ones when that is not enough [50:3.5.2]", () => {
    const counts = [10, 10, 10, 20, 30, 30, 30, 30, 10, 10, 10, 10];
    expect(planCompression(turns, counts, limits(100, true))).toEqual({ kind: "replace", start: 4, until: 8 });
  });

  it("none where it is short enough or all are protected [50:3.5.3] [50:3.5.8]", () => {
    const counts = turns.map(() => 7.5);
    expect(planCompression(turns, counts, limits(100, true))).toEqual({ kind: "fits" });
    expect(planCompression(turns.slice(0, 5), [90, 90, 90, 90, 90], limits(100, true))).toEqual({ kind: "stuck" });
  });
});
