import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, fraction, holdsSeparator, joinEntries, sizeOf, splitEntries, usageLine } from "./entries.ts";

const entry = fc
  .string({ unit: fc.constantFrom("a", "b", " ", "\n", "§", "\t", "é", "😀") })
  .map((text) => text.trim())
  .filter((text) => text !== "" && !holdsSeparator(text));

describe("entries of a notes file", () => {
  it("are separated by a line that is only a section sign [10:MEM-1] [10:A6.8]", () => {
    expect(splitEntries("see § 5 of the law\n§\ntwo\nlines")).toEqual(["see § 5 of the law", "two\nlines"]);
  });

  it("keep the first of equal ones and lose empty ones [10:MEM-3]", () => {
    expect(splitEntries("a\n§\nb\n§\n\n§\n a \n§\nc\n")).toEqual(["a", "b", "c"]);
  });

  it("are read from a file whose lines a Windows editor has ended its way", () => {
    expect(splitEntries("a\r\n§\r\nb\r\nc")).toEqual(["a", "b\nc"]);
  });

  it("read back as they were joined, whatever they hold [10:MEM-1]", () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry, { maxLength: 8 }), (entries) => {
        expect(splitEntries(joinEntries(entries))).toEqual(entries);
      }),
    );
  });

  it("are counted in code points, with commas, percent rounded down and at most 100 [10:MEM-5]", () => {
    expect(sizeOf(["😀", "é"])).toBe(5);
    expect(usageLine(43, 2_200)).toBe("1% — 43/2,200 chars");
    expect(usageLine(2_199, 2_200)).toBe("99% — 2,199/2,200 chars");
    expect(usageLine(5_000, 2_200)).toBe("100% — 5,000/2,200 chars");
    expect(fraction(1_234_567, 0)).toBe("1,234,567/0");
  });
});

describe("a change of the entries", () => {
  it("never makes them longer than the limit and never touches another entry [10:MEM-2]", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(entry, { maxLength: 6 }),
        entry,
        entry,
        fc.nat(60),
        (entries, content, oldText, limit) => {
          for (const change of [
            { action: "add", content },
            { action: "replace", oldText, content },
            { action: "remove", oldText },
          ] as const) {
            const decision = decide(entries, change, limit);
            if (decision.kind !== "write") continue;
            if (change.action !== "remove") expect(sizeOf(decision.entries)).toBeLessThanOrEqual(limit);
            const lost = entries.filter((one) => !decision.entries.includes(one));
            expect(lost.every((one) => change.action !== "add" && one.includes(oldText))).toBe(true);
            expect(lost.length).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});
