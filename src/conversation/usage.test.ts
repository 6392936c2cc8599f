import { describe, expect, it } from "vitest";
import { addCost, addUsage, promptTokens, totalTokens, unknownCost, zeroUsage } from "./usage.ts";

describe("usage", () => {
  it("counts what was read and written, cached or not [10:LOOP-55]", () => {
    const usage = { input: 400, output: 50, cacheRead: 600, cacheWrite: 0, reasoning: 10 };
    expect(promptTokens(usage)).toBe(1000);
    expect(totalTokens(usage)).toBe(1050);
    expect(addUsage(usage, addUsage(usage, zeroUsage))).toEqual({
      input: 800,
      output: 100,
      cacheRead: 1200,
      cacheWrite: 0,
      reasoning: 20,
    });
  });
});

describe("cost", () => {
  it("keeps the less certain status and never turns unknown into zero [10:LOOP-58]", () => {
    const known = { status: "actual", source: "provider", usd: 0.5 } as const;
    const guessed = { status: "estimated", source: "catalog", usd: 0.25 } as const;
    expect(addCost(known, guessed)).toEqual({ status: "estimated", source: "catalog", usd: 0.75 });
    expect(addCost(known, unknownCost)).toEqual({ status: "unknown", source: "none", usd: 0.5 });
    expect(addCost(unknownCost, unknownCost)).toEqual({ status: "unknown", source: "none" });
  });
});
