import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFlagged, proveApproval } from "./approval.ts";
import { firstSight } from "./first-sight.ts";

describe("commands are judged", () => {
  const report = proveApproval({ seed: 7, perCommand: 6 });

  it("hand-written, without missing a hostile one", () => {
    expect(report.missed).toEqual([]);
  });

  it.each(["known", "held-out"] as const)("generated from the %s words: over 95 %% of the hostile ones", (name) => {
    const { plain, hidden } = report.halves[name];
    expect(plain.caught).toBeGreaterThan(0.95 * plain.total);
    expect(hidden.caught).toBeGreaterThan(0.95 * hidden.total);
    expect(plain.total + hidden.total).toBeGreaterThan(2_000);
  });

  it.each(["known", "held-out"] as const)("from everyday work (%s): at most 2 %% are asked about", (name) => {
    const { benign, benignFlagged } = report.halves[name];
    expect(benignFlagged.length).toBeLessThanOrEqual(0.02 * benign);
    expect(benign).toBeGreaterThanOrEqual(200);
  });

  // What was flagged once stays so: the lines were written before they were judged, and every other one was never looked at.
  it.each([
    ["11", 0.955],
    ["12", 0.965],
    ["13", 0.94],
    ["14", 0.975],
    ["15", 0.985],
  ] as const)("as they were at first sight, set %s", (set, least) => {
    const { open, apart, everyday } = firstSight(set);
    expect(open.total + apart.total).toBeGreaterThan(400);
    expect(open.caught + apart.caught).toBeGreaterThanOrEqual(least * (open.total + apart.total));
    expect(everyday.flagged.length).toBeLessThanOrEqual(0.03 * everyday.total);
    expect(everyday.asked.length).toBeLessThanOrEqual(0.02 * everyday.total);
  });

  it("the same however a dangerous word is quoted or spaced", () => {
    const quote = (word: string, at: number, mark: string) => `${word.slice(0, at)}${mark}${word.slice(at)}`;
    fc.assert(
      fc.property(
        fc.nat(2),
        fc.constantFrom('""', "''", "\\"),
        fc.nat(4),
        fc.constantFrom("build", "~/x", "../y"),
        (at, mark, spaces, target) => {
          const position = mark === "\\" ? Math.min(at, 1) : at;
          expect(isFlagged(`${quote("rm", position, mark)}${" ".repeat(1 + spaces)}-rf ${target}`)).toBe(true);
        },
      ),
    );
  });

  it("without ever failing, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(typeof isFlagged(text)).toBe("boolean");
      }),
      { numRuns: 2_000 },
    );
    const piece = fc.constantFrom(
      "$(",
      ")",
      "`",
      "{",
      "}",
      "((",
      "|",
      "&&",
      ";",
      "'",
      '"',
      "\\",
      "<<E",
      "\n",
      "rm",
      "-rf",
      "/",
      "$x",
      "${",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(typeof isFlagged(pieces.join(""))).toBe("boolean");
      }),
      { numRuns: 3_000 },
    );
  });

  it("in linear time, also for long lines", () => {
    for (const text of [
      "echo a; ".repeat(6_000),
      `echo ${"x ".repeat(25_000)}`,
      "$(".repeat(5_000),
      "a|".repeat(10_000),
      `${"(".repeat(5_000)}`,
    ]) {
      expect(typeof isFlagged(text)).toBe("boolean");
    }
  });
});
