import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { levenshtein, nearest, similarity } from "./similarity.ts";

describe("edit distance", () => {
  test.each([
    ["", "", 0],
    ["abc", "", 3],
    ["kitten", "sitting", 3],
    ["flaw", "lawn", 2],
    ["😀a", "a", 1],
  ])("%j to %j takes %i edits", (a, b, distance) => {
    expect(levenshtein(a, b)).toBe(distance);
  });

  test("it is a distance", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(levenshtein(a, b)).toBe(levenshtein(b, a));
        expect(levenshtein(a, b) === 0).toBe(a === b);
        expect(levenshtein(a, c)).toBeLessThanOrEqual(levenshtein(a, b) + levenshtein(b, c));
      }),
    );
  });
});

describe("did you mean", () => {
  const commands = ["config", "cron", "gateway", "doctor", "sessions", "max_turns"];

  test.each([
    ["confg", "config"],
    ["CONFIG", "config"],
    ["gatewya", "gateway"],
    ["sess", "sessions"],
    ["corn", "cron"],
    ["maxTurns", "max_turns"],
    ["max-turns", "max_turns"],
  ])("%s means %s", (word, meant) => {
    expect(nearest(word, commands)).toBe(meant);
  });

  test.each(["banana", "", "x", "z".repeat(500)])("%s means nothing known", (word) => {
    expect(nearest(word, commands)).toBeUndefined();
  });
});

describe("similarity", () => {
  test.each([
    ["", "", 1],
    ["abcd", "bcde", 0.75],
    ["read_fil", "read_file", 16 / 17],
    ["browser_clik", "browser_click", 0.96],
    ["private Thread currentThread;", "private volatile Thread currentThread;", 58 / 67],
    ["abc", "xyz", 0],
  ])("[30:3.5.4] %j and %j", (a, b, ratio) => {
    expect(similarity(a, b)).toBeCloseTo(ratio, 10);
  });

  test("[30:3.5.4] it lies between 0 and 1, and is 1 for equal texts", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const value = similarity(a, b);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(similarity(a, a)).toBe(1);
      }),
    );
  });

  test("[30:3.5.4] long texts are compared by their lines", () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index} with some text`);
    const other = [...lines.slice(0, 1_500), ...Array.from({ length: 1_500 }, (_, index) => `other ${index}`)];
    expect(similarity(lines.join("\n"), other.join("\n"))).toBeCloseTo(0.5, 5);
  });
});
