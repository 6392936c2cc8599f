import { describe, expect, it } from "vitest";
import { proveWindow } from "./windows.ts";

describe("a long session in a window of 8K tokens", () => {
  it.each(["latin", "cyrillic"] as const)(
    "has a third of it free after each compression and is summarised in half of the turns at most (%s)",
    async (alphabet) => {
      const turns = 24;
      const report = await proveWindow({ contextWindow: 8_192, turns, alphabet });
      expect(report).toMatchObject({ completed: turns, refusals: 0 });
      expect(report.leastFreePct).toBeGreaterThanOrEqual(33);
      expect(report.longestRun).toBeLessThanOrEqual(3);
      expect(report.summaries).toBeLessThanOrEqual(turns / 2);
      expect(report.evaluatedAgain).toBeLessThan(3_000);
    },
  );
});
