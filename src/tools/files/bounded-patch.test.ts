import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedPatch } from "./bounded-patch.ts";

describe("boundedPatch", () => {
  it("of long texts with nothing in common is there at once, and leads from one to the other", () => {
    const before = "round 1 whole\n".repeat(20_000);
    const after = "round 2 whole\n".repeat(20_000);
    const patch = boundedPatch(["a/x", "b/x"], before, after);
    expect(patch).toContain("@@ -1,20000 +1,20000 @@");
    expect(applyPatch(before, patch)).toBe(after);
  });

  it("leads from any text to any other, however much they differ", () => {
    const line = fc.constantFrom("a", "b", "c", "", "d e");
    const lines = (max: number) => fc.array(line, { maxLength: max, size: "max" });
    fc.assert(
      fc.property(lines(20), lines(1500), lines(1500), lines(20), (head, old, fresh, tail) => {
        const [before, after] = [old, fresh].map((middle) =>
          [...head, ...middle, ...tail].map((one) => `${one}\n`).join(""),
        );
        const patch = boundedPatch(["a/x", "b/x"], before ?? "", after ?? "");
        expect(applyPatch(before ?? "", patch)).toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});
