import { describe, expect, it } from "vitest";
import { limitsFor, tightened } from "./limits.ts";
import { defaultCompressionSettings } from "./testing/builders.ts";

describe("the limits of a window", () => {
  it.each([
    [64_000, 54_400, 10_880, 3_200],
    [100_000, 64_000, 12_800, 5_000],
    [200_000, 100_000, 20_000, 10_000],
    [1_000_000, 500_000, 100_000, 12_000],
    [32_000, 27_200, 5_440, 1_600],
  ])("[10:COMP-1] [10:A5.1] [10:D35] for %d tokens: %d, tail %d, summary %d", (window, threshold, tail, summary) => {
    expect(limitsFor(window, defaultCompressionSettings)).toMatchObject({
      thresholdTokens: threshold,
      tailBudget: tail,
      softCeiling: Math.floor(1.5 * tail),
      maxSummary: summary,
    });
  });

  it("[10:COMP-1] keep the tail between a tenth and four fifths of the threshold", () => {
    const settings = { ...defaultCompressionSettings, targetRatio: 0.01 };
    expect(limitsFor(200_000, settings).tailBudget).toBe(10_000);
    expect(limitsFor(200_000, { ...settings, targetRatio: 0.95 }).tailBudget).toBe(80_000);
  });

  it("halve the tail with every further try at a refused request", () => {
    const limits = limitsFor(200_000, defaultCompressionSettings);
    expect(tightened(limits, 1, 200_000)).toEqual(limits);
    expect(tightened(limits, 3, 200_000)).toMatchObject({ tailBudget: 5_000, softCeiling: 7_500, protectLastN: 5 });
    expect(tightened(limits, 1, 10_000)).toMatchObject({ tailBudget: 3_000, protectLastN: 20 });
  });
});
