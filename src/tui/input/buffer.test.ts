import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphemes } from "#foundation/text/text";
import { bufferOf, emptyBuffer, insert, isFirstRow, isLastRow, type Motion, move, remove } from "./buffer.ts";

const motions: readonly Motion[] = [
  "left",
  "right",
  "word-left",
  "word-right",
  "line-start",
  "line-end",
  "up",
  "down",
  "start",
  "end",
];

describe("the text buffer", () => {
  it("inserts and moves by what a reader sees as a character [20:R10.18]", () => {
    const family = insert(emptyBuffer, "a👩‍👧é");
    expect(move(family, "left").cursor).toBe("a👩‍👧".length);
    expect(remove(move(family, "left"), "left").buffer.text).toBe("aé");
  });

  it("knows the readline kills [20:R10.18]", () => {
    const text = bufferOf("one two\nthree", 7);
    expect(remove(text, "word-left")).toEqual({ buffer: { text: "one \nthree", cursor: 4 }, removed: "two" });
    expect(remove(text, "line-start").buffer.text).toBe("\nthree");
    expect(remove(text, "line-end").buffer.text).toBe("one twothree");
    expect(remove(bufferOf("one two", 0), "word-right").removed).toBe("one");
  });

  it("keeps the column between rows [20:R10.18]", () => {
    const text = bufferOf("abcdef\nxy\nlonger", 4);
    expect(move(text, "down").cursor).toBe(9);
    expect(move(bufferOf("abcdef\nxy\nlonger", 12), "up").cursor).toBe(9);
    expect(isFirstRow(text)).toBe(true);
    expect(isLastRow(text)).toBe(false);
    expect(move(text, "up").cursor).toBe(0);
  });

  it("never leaves the text nor splits a character, whatever is pressed", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 30 }),
        fc.array(fc.tuple(fc.constantFrom(...motions), fc.boolean()), { maxLength: 20 }),
        (text, steps) => {
          let buffer = insert(emptyBuffer, text);
          for (const [motion, isKill] of steps) {
            buffer = isKill ? remove(buffer, motion).buffer : move(buffer, motion);
            expect(buffer.cursor).toBeGreaterThanOrEqual(0);
            expect(buffer.cursor).toBeLessThanOrEqual(buffer.text.length);
          }
          const rejoined = graphemes(buffer.text.slice(0, buffer.cursor)).join("") + buffer.text.slice(buffer.cursor);
          expect(rejoined).toBe(buffer.text);
        },
      ),
    );
  });
});
