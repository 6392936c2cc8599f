import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lengthIn, splitText } from "./split.ts";

const codepoints = lengthIn("codepoints");
const split = (text: string, limit: number, measure = codepoints) => splitText(text, { limit, measure });
const withoutCounter = (piece: string) => piece.replace(/ \(\d+\/\d+\)$/u, "");

describe("a long text", () => {
  it("that fits stays as it is [40:EVT-24]", () => {
    expect(split("  hello\n", 8)).toEqual(["  hello\n"]);
  });

  it("is cut between words and numbered [40:EVT-24] [40:A-EVT-2]", () => {
    expect(split("aaaa bbbb cccc dddd eeee ffff gggg", 30)).toEqual([
      "aaaa bbbb cccc (1/2)",
      "dddd eeee ffff gggg (2/2)",
    ]);
  });

  it("closes a code block that is cut and opens it again [40:EVT-24] [40:A-EVT-3]", () => {
    const text = "intro\n```ts\nconst a = 1\nconst b = 2\nconst c = 3\nconst d = 4\n```\nend";
    const [first, second] = split(text, 50);
    expect(first?.endsWith("const b = 2\n``` (1/2)")).toBe(true);
    expect(second?.startsWith("```ts\nconst c = 3")).toBe(true);
  });

  it("keeps the indentation of code in the next piece [40:EVT-24]", () => {
    const pieces = split("```\nif x:\n    first_call()\n    second_call()\n```", 40);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.some((piece) => piece.includes("```\n    second_call()"))).toBe(true);
  });

  it("is counted as the platform counts, and no character is cut [40:EVT-25] [40:A-EVT-4]", () => {
    const pieces = split("😀".repeat(30), 40, lengthIn("utf16"));
    expect(pieces.map((piece) => [...withoutCounter(piece)].length)).toEqual([13, 13, 4]);
    const family = "👨‍👩‍👧‍👦";
    for (const piece of split(family.repeat(20), 60, lengthIn("utf16")))
      expect(withoutCounter(piece).replaceAll(family, "")).toBe("");
  });

  it("is not cut inside inline code where that can be helped [40:EVT-24]", () => {
    const [first] = split("some words first `inline code here` and more words after it", 44);
    expect(first).toBe("some words first (1/3)");
  });

  it("loses nothing and no piece is too long [40:EVT-24]", () => {
    const word = fc.string({ unit: "grapheme", maxLength: 40 });
    const block = fc.oneof(
      word,
      fc.constantFrom("\n", "\n\n", "```js\n", "\n```\n", "`a b`", "    indented"),
      fc.string({ minLength: 100, maxLength: 300 }),
    );
    fc.assert(
      fc.property(
        fc.array(block, { maxLength: 30 }),
        fc.integer({ min: 60, max: 200 }),
        fc.constantFrom("codepoints", "utf16", "bytes"),
        (blocks, limit, unit) => {
          const text = blocks.join(" ");
          const measure = lengthIn(unit as "codepoints");
          const pieces = split(text, limit, measure);
          const bare = (one: string) => one.replace(/\s|`{3,}[^\n`]*\n|`{3,}/gu, "");
          for (const piece of pieces) if (!/\p{M}{20}/u.test(piece)) expect(measure(piece)).toBeLessThanOrEqual(limit);
          if (!text.includes("```"))
            expect(pieces.map((one) => bare(withoutOwn(one, pieces))).join("")).toBe(bare(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("costs as much as it is long", () => {
    let measured = 0;
    const text = "word ".repeat(200_000);
    const pieces = splitText(text, {
      limit: 4096,
      measure(part) {
        measured += part.length;
        return part.length;
      },
    });
    expect(pieces.length).toBeGreaterThan(240);
    // Looking at the whole rest for each piece would be half the number of pieces, times the length.
    expect(measured / text.length).toBeLessThan(50);
  });
});

function withoutOwn(piece: string, pieces: readonly string[]): string {
  return pieces.length === 1 ? piece : withoutCounter(piece);
}
