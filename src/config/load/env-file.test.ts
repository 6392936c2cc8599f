import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseEnv, removeFromEnv, setInEnv, splitConcatenated } from "./env-file.ts";

const values = (text: string) => Object.fromEntries(parseEnv(text).map(({ name, value }) => [name, value]));

describe("[20:R7.3] the format of .env", () => {
  test.each([
    ["A=1", { A: "1" }],
    ["export A=1\n", { A: "1" }],
    ["  A = spaced out  \n", { A: "spaced out" }],
    ["# A=1\nB=2", { B: "2" }],
    ["A=1 # note\n", { A: "1" }],
    ["A=a#b\n", { A: "a#b" }],
    ["A=\nB=#x\n", { A: "", B: "" }],
    ["A='lit $x \\n # x'\n", { A: "lit $x \\n # x" }],
    ['A="two\\nlines \\"q\\" \\$x" # note\n', { A: 'two\nlines "q" $x' }],
    ['A="first\nsecond"\nB=2\n', { A: "first\nsecond", B: "2" }],
    ['A="a" b\n', { A: '"a" b' }],
    ['A="never closed\nB=2\n', { A: '"never closed', B: "2" }],
    ["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
    ["\uFEFFA=1\n", { A: "1" }],
    ["A=1\nA=2\n", { A: "2" }],
    ["A=x=y==\n", { A: "x=y==" }],
    ["not an entry\n=3\n1A=3\nB=2", { B: "2" }],
  ])("%j", (text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  test("entries know their line, also after a value over several lines", () => {
    expect(parseEnv('# c\nA="1\n2"\nB=3\n').map(({ name, line }) => [name, line])).toEqual([
      ["A", 2],
      ["B", 4],
    ]);
  });
});

describe("changing .env", () => {
  test("a set variable keeps its place, its comment and every other byte", () => {
    const text = "# keys\nexport A=old # why\n\n  B='x'\nodd line\n";
    expect(setInEnv(text, "A", "new")).toBe("# keys\nexport A=new # why\n\n  B='x'\nodd line\n");
  });

  test("a new variable goes to the end, also behind a line without an end", () => {
    expect(setInEnv("A=1", "B", "2")).toBe("A=1\nB=2\n");
    expect(setInEnv("A=1\r\n", "B", "2")).toBe("A=1\r\nB=2\r\n");
    expect(setInEnv("", "B", "2")).toBe("B=2\n");
  });

  test("removing takes every entry of the name and nothing else", () => {
    expect(removeFromEnv("A=1\n# A\nB=2\nA='3\n4'\nAB=5\n", "A")).toBe("# A\nB=2\nAB=5\n");
  });

  test("whatever is written is read back, and the other entries stay", () => {
    const value = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(value, value, (first, second) => {
        const text = setInEnv(setInEnv("X=1\n", "A_KEY", first), "B_KEY", second);
        expect(values(text)).toEqual({ X: "1", A_KEY: first, B_KEY: second });
        expect(values(setInEnv(text, "A_KEY", second))).toEqual({ X: "1", A_KEY: second, B_KEY: second });
      }),
    );
  });
});

describe("[20:A7.6] lines that ran together", () => {
  const known = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "API_KEY", "HF_TOKEN"];

  test("are split at known names", () => {
    expect(splitConcatenated("ANTHROPIC_API_KEY=sk-xOPENAI_API_KEY=sk-y\n", known)).toBe(
      "ANTHROPIC_API_KEY=sk-x\nOPENAI_API_KEY=sk-y\n",
    );
    expect(splitConcatenated("A=1HF_TOKEN=2OPENAI_API_KEY=3", known)).toBe("A=1\nHF_TOKEN=2\nOPENAI_API_KEY=3");
  });

  test.each([
    "A=b=c==\n",
    "URL=https://x.test/?q=1&r=2\n",
    "A='xOPENAI_API_KEY=1'\n",
    "# xOPENAI_API_KEY=1=2\n",
    "A=OPENAI_API_KEY=x\n",
  ])("%j is left alone", (text) => {
    expect(splitConcatenated(text, known)).toBe(text);
  });
});
