import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planBatches, type Scheduled } from "./schedule.ts";

const safe: Scheduled = { concurrency: "safe", paths: [] };
const serial: Scheduled = { concurrency: "serial", paths: [] };
const asks: Scheduled = { concurrency: "never", paths: [] };
const reads = (...paths: string[]): Scheduled => ({ concurrency: "path", paths, isReadOnly: true });
const on = (...paths: string[]): Scheduled => ({ concurrency: "path", paths });

describe("the schedule of one reply's calls", () => {
  it.each([
    ["nothing", [], []],
    ["safe calls together", [safe, safe], [[0, 1]]],
    ["a serial call as a barrier", [safe, serial, safe, safe], [[0], [1], [2, 3]]],
    ["everything in turn beside a question", [safe, asks, safe], [[0], [1], [2]]],
    ["different paths together", [on("a.txt"), on("b.txt"), safe], [[0, 1, 2]]],
    ["the same path in turn", [on("a.txt"), on("a.txt")], [[0], [1]]],
    ["a folder and what is in it in turn", [on("src/"), on("src/x.ts")], [[0], [1]]],
    ["names that only begin alike together", [on("src"), on("src2/x")], [[0, 1]]],
    ["readers of one path together", [reads("a.txt"), reads("a.txt")], [[0, 1]]],
    ["a reader after a writer in turn", [on("src"), reads("src/x")], [[0], [1]]],
    ["a path call without a path alone", [safe, on(), safe], [[0], [1], [2]]],
  ])("runs %s [30:REG-72] [30:REG-73] [10:TOOL-6] [10:TOOL-7] [10:TOOL-8] [10:TOOL-9]", (_what, calls, expected) => {
    expect(planBatches(calls)).toEqual(expected);
  });

  it("holds every call exactly once, in order", () => {
    const anyCall = fc.oneof(
      fc.constantFrom(safe, serial, asks),
      fc.constantFrom("a", "a/b", "c").map((path) => on(path)),
    );
    fc.assert(
      fc.property(fc.array(anyCall), (calls) => {
        expect(planBatches(calls).flat()).toEqual([...calls.keys()]);
      }),
    );
  });
});
