import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../testing/growth.ts";
import { codePointLength, graphemes, stripAnsi, truncateEnd, truncateMiddle } from "./text.ts";
import { displayWidth } from "./width.ts";

const tricky = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "👨‍👩‍👧‍👦",
      "🇩🇪",
      "e\u0301",
      "👍🏽",
      "한",
      "\u200d",
      "\u0301",
      "\ud83d",
      "a",
      " ",
      "\r\n",
      "क्षि",
      "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    ),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 40,
});

/** The places where a text may be cut. */
function cuts(text: string): Set<number> {
  let index = 0;
  return new Set([0, ...graphemes(text).map((grapheme) => (index += grapheme.length))]);
}

describe("lengths", () => {
  test("characters are code points", () => {
    expect(codePointLength("a😀ü")).toBe(3);
    fc.assert(fc.property(tricky, (text) => codePointLength(text) === [...text].length));
  });

  test("graphemes join to the text", () => {
    expect(graphemes("👨‍👩‍👧‍👦e\u0301x")).toEqual(["👨‍👩‍👧‍👦", "e\u0301", "x"]);
    fc.assert(fc.property(tricky, (text) => graphemes(text).join("") === text));
  });
});

describe("display width", () => {
  test.each([
    ["", 0],
    ["hello", 5],
    ["日本語", 6],
    ["한글", 4],
    ["ｆｕｌｌ", 8],
    ["e\u0301", 1],
    ["😀", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["👍🏽", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["❤", 1],
    ["✅", 2],
    ["a\u200bb", 2],
    ["\u0301", 0],
    ["\ufeffx", 1],
    ["1️⃣", 2],
    ["→ ü", 3],
    ["\t", 0],
    ["\u001b[31mred\u001b[0m", 3],
    ["한\u001b]8;;http://x\u0007link\u001b]8;;\u0007", 6],
  ])("%j takes %i columns", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test("it is never negative and at most two per character", () => {
    fc.assert(
      fc.property(tricky, (text) => {
        const width = displayWidth(text);
        expect(width).toBeGreaterThanOrEqual(0);
        expect(width).toBeLessThanOrEqual(2 * graphemes(text).length);
      }),
    );
  });
});

describe("escape sequences", () => {
  test.each([
    ["\u001b[1;31mbold\u001b[0m", "bold"],
    ["\u001b]0;title\u0007text", "text"],
    ["\u001b]8;;https://x.test\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u001bPq#1;2\u001b\\image", "image"],
    ["\u001b(Bascii", "ascii"],
    ["\u001b[?25lhidden\u001b[?25h", "hidden"],
    ["\u009b31mred", "red"],
    ["a\u001b7b\u001b8c", "abc"],
    ["cut\u001b[3", "cut"],
    ["cut\u001b", "cut"],
    ["plain [31m text", "plain [31m text"],
  ])("%j reads %j", (text, expected) => {
    expect(stripAnsi(text)).toBe(expected);
  });

  test("no escape character is left of any text", () => {
    const noisy = fc.string({
      unit: fc.constantFrom("\u001b", "[", "]", "3", "m", "\u0007", "\\", "P", "x", ";", "\u009b"),
    });
    fc.assert(fc.property(noisy, (text) => ![..."\u001b\u009b"].some((mark) => stripAnsi(text).includes(mark))));
  });

  test("a megabyte of unfinished sequences costs no more than its length", () => {
    expectLinear(250_000, (count) => void stripAnsi("\u001b]0;".repeat(count)));
  });
});

describe("truncation", () => {
  test("keeps the beginning, or the beginning and the end", () => {
    expect(truncateEnd("abcdefghij", 5)).toBe("abcd…");
    expect(truncateMiddle("abcdefghij", 5)).toBe("ab…ij");
    expect(truncateMiddle("abcdefghij", 6, "--")).toBe("ab--ij");
    expect(truncateEnd("abc", 3)).toBe("abc");
    expect(truncateEnd("abc", 0)).toBe("");
  });

  test("a marker may tell how much is missing", () => {
    expect(truncateMiddle("a".repeat(100), 40, (omitted) => `[${omitted} left out]`)).toMatch(/^a+\[74 left out\]a+$/);
  });

  test("the result never exceeds the limit, and short text is unchanged", () => {
    fc.assert(
      fc.property(tricky, fc.integer({ min: 0, max: 50 }), (text, max) => {
        for (const cut of [
          truncateEnd(text, max),
          truncateMiddle(text, max),
          truncateMiddle(text, max, (n) => `(${n})`),
        ]) {
          expect(codePointLength(cut)).toBeLessThanOrEqual(max);
          if (codePointLength(text) <= max) expect(cut).toBe(text);
        }
      }),
    );
  });

  test("no surrogate pair and no visible character is cut in two", () => {
    fc.assert(
      fc.property(tricky, fc.integer({ min: 2, max: 50 }), (text, max) => {
        const marker = "\u0000";
        for (const truncate of [truncateEnd, truncateMiddle]) {
          const result = truncate(text, max, marker);
          if (result === text) continue;
          const [head = "", tail = ""] = result.split(marker);
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
          expect(cuts(text).has(head.length)).toBe(true);
          expect(cuts(text).has(text.length - tail.length)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a long text is cut in moments", () => {
    const cut = (count: number) => truncateMiddle("😀x".repeat(count), 1_000);
    expect(codePointLength(cut(500_000))).toBeLessThanOrEqual(1_000);
    expectLinear(500_000, (count) => void cut(count));
  });
});
