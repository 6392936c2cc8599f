import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closestSections } from "./closest.ts";
import { mapText } from "./mapped-text.ts";
import { replaceText } from "./replace.ts";

const replaced = (content: string, oldText: string, newText: string, replaceAll = false) => {
  const done = replaceText(content, { oldText, newText, replaceAll });
  return done.kind === "replaced" ? [done.strategy, done.text] : done.kind;
};

describe("replacing a snippet", () => {
  it.each([
    ["exact", "a b c", "b", "X", "a X c"],
    ["line_trimmed", "  if x:\n    y()\n", "if x:\ny()", "if z:\n  y()", "  if z:\n    y()\n"],
    ["whitespace_normalized", "let a  =   1;", "let a = 1;", "let a = 2;", "let a = 2;"],
    ["escape_normalized", "one\ntwo", "one\\ntwo", "three", "three"],
    ["unicode_normalized", "say “hi” — now…", 'say "hi" -- now...', "bye", "bye"],
    [
      "block_anchor",
      "start {\n  alpha one\n  beta two\n}\n",
      "start {\n  alpha one!\n  beta 2\n}",
      "start {\n}",
      "start {\n}\n",
    ],
    [
      "context_aware",
      "x\nconst value = compute(1);\nreturn value;\ny\n",
      "const value = compute(1)\nreturn values;",
      "done();",
      "x\ndone();\ny\n",
    ],
  ])("finds it by %s", (strategy, content, oldText, newText, expected) => {
    expect(replaced(content, oldText, newText)).toEqual([strategy, expected]);
  });

  it("prefers the stricter way and judges ambiguity within it", () => {
    expect(replaceText("a\n  a\n", { oldText: "a", newText: "b" })).toEqual({
      kind: "ambiguous",
      count: 2,
      strategy: "exact",
    });
    expect(replaced("x\n a\na\n", "a\n", "b\n", true)).toEqual(["exact", "x\n b\nb\n"]);
  });

  it("counts overlapping places and replaces only those that do not overlap", () => {
    expect(replaceText("aaa", { oldText: "aa", newText: "b" })).toMatchObject({ kind: "ambiguous", count: 2 });
    expect(replaced("aaaa", "aa", "b", true)).toEqual(["exact", "bb"]);
  });

  it("never applies the most lenient ways at several places", () => {
    const block = "begin\n  one two three\nend\n";
    expect(
      replaceText(block + block, { oldText: "begin\n  one two threee\nend", newText: "x", replaceAll: true }).kind,
    ).toBe("ambiguous");
  });

  it("takes over the indentation of the place it goes to", () => {
    const content = "class A:\n        def f(self):\n            return 1\n";
    expect(replaced(content, "def f(self):\n    return 1", "def f(self):\n    x = 2\n    return x")).toEqual([
      "line_trimmed",
      "class A:\n        def f(self):\n            x = 2\n            return x\n",
    ]);
  });

  it("keeps the line ends of the file, everywhere else byte for byte", () => {
    expect(replaced("one\r\ntwo\r\nthree\r\n", "two\nthree", "2\n3")).toEqual(["exact", "one\r\n2\r\n3\r\n"]);
    expect(replaced("a\r\nb\nc\r\nd\r\n", "b", "B")).toEqual(["exact", "a\r\nB\nc\r\nd\r\n"]);
  });

  it("refuses a replacement that was escaped twice", () => {
    const done = replaceText("say('it')  ;", { oldText: "say(\\'it\\') ;", newText: "say(\\'that\\') ;" });
    expect(["refused", "not-found"]).toContain(done.kind);
    const drifted = replaceText(' a = "x"\n b = 1\n c = 2\n', {
      oldText: 'a = \\"x\\"\nb = 1\nc = 2',
      newText: 'a = \\"y\\"\nb = 1\nc = 2',
    });
    expect(drifted).toMatchObject({ kind: "refused" });
  });

  it("says what is missing or senseless", () => {
    expect(replaceText("a", { oldText: "", newText: "x" })).toMatchObject({ kind: "refused" });
    expect(replaceText("a", { oldText: "a", newText: "a" })).toMatchObject({ kind: "refused" });
    expect(replaceText("abc", { oldText: "completely different", newText: "x" })).toEqual({ kind: "not-found" });
  });

  it("shows where something similar stands", () => {
    const [section] = closestSections("one\ntwo\nfunction compute(a) {\n  return a;\n}\n", "function compute(b) {");
    expect(section).toBe("     1|one\n     2|two\n     3|function compute(a) {\n     4|  return a;\n     5|}");
  });

  it("of a unique snippet changes exactly that snippet, in any text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (before, after, put) => {
        const marker = "\u0001UNIQUE\u0001";
        const line = dominantEnd(before + after);
        expect(replaced(before + marker + after, marker, put)).toEqual([
          "exact",
          before + put.replaceAll("\r\n", "\n").replaceAll("\n", line) + after,
        ]);
      }),
    );
  });
});

const dominantEnd = (text: string) =>
  (text.split("\r\n").length - 1) * 2 > text.split("\n").length - 1 ? "\r\n" : "\n";

describe("a simplified text", () => {
  it("knows where each character came from", () => {
    const mapped = mapText("a  b\t\tc", /[ \t]+/g, () => " ");
    expect(mapped.text).toBe("a b c");
    expect([0, 1, 2, 3, 4, 5].map((offset) => mapped.toOriginal(offset))).toEqual([0, 1, 3, 4, 6, 7]);
    const longer = mapText("x…y", /…/g, () => "...");
    expect([0, 1, 2, 4, 5].map((offset) => longer.toOriginal(offset))).toEqual([0, 1, 2, 2, 3]);
  });

  it("maps any piece back to the text it stands for", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", " ", "\t", "\n") }), (text) => {
        const mapped = mapText(text, /[ \t]+/g, () => " ");
        expect(mapped.toOriginal(mapped.text.length)).toBe(text.length);
        for (let offset = 0; offset < mapped.text.length; offset += 1) {
          const piece = text.slice(mapped.toOriginal(offset), mapped.toOriginal(offset + 1));
          expect(piece.replace(/[ \t]+/g, " ")).toBe(mapped.text[offset]);
        }
      }),
    );
  });
});
