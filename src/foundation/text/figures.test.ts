import { describe, expect, it } from "vitest";
import { byteSize, relativeTime, shortCount, shortDuration, shortWindow, stopwatch } from "./figures.ts";

describe("figures for people", () => {
  it("counts [20:R6.15]", () => {
    expect(
      [0, 999, 1_234, 9_999, 12_400, 99_999, 124_000, 999_499, 999_500, 1_050_000, 12_345_678].map(shortCount),
    ).toEqual(["0", "999", "1.23K", "10K", "12.4K", "100K", "124K", "999K", "1M", "1.05M", "12.3M"]);
  });

  it("windows and durations [20:R6.15]", () => {
    expect([128_000, 131_072, 1_000_000, 1_048_576, 1_050_000, 2_000_000].map(shortWindow)).toEqual([
      "128K",
      "131K",
      "1M",
      "1M",
      "1.1M",
      "2M",
    ]);
    expect([45_000, 720_000, 7_500_000, 7_200_000, 129_600_000].map(shortDuration)).toEqual([
      "45s",
      "12m",
      "2h 5m",
      "2h",
      "1.5d",
    ]);
    expect([1_234, 125_000].map(stopwatch)).toEqual(["1.2s", "2m 05s"]);
  });

  it("moments and sizes", () => {
    const now = Date.UTC(2026, 5, 10, 12);
    const hour = 3_600_000;
    expect(
      [0, 300_000, 3 * hour, 30 * hour, 100 * hour, 300 * hour].map((ago) => relativeTime(now - ago, now)),
    ).toEqual(["just now", "5m ago", "3h ago", "yesterday", "4d ago", "2026-05-29"]);
    expect([12, 2_048, 1_500_000, 500_000_000].map(byteSize)).toEqual(["12 B", "2 KB", "1.4 MB", "477 MB"]);
  });
});
