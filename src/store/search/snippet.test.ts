import { describe, expect, it } from "vitest";
import { contextText, substringSnippet } from "./snippet.ts";

describe("a snippet", () => {
  it("begins 40 characters before the match and is 120 long [10:STORE-19]", () => {
    const content = `${"a".repeat(100)}needle${"b".repeat(300)}`;
    expect(substringSnippet(content, ["needle"])).toBe(`...${"a".repeat(40)}>>>needle<<<${"b".repeat(74)}...`);
  });

  it("marks the first of several matches, whatever their case", () => {
    expect(substringSnippet("one TWO three", ["three", "two"])).toBe("one >>>TWO<<< three");
  });

  it("counts characters, not halves of them", () => {
    const content = `${"😀".repeat(50)}x`;
    expect(substringSnippet(content, ["x"])).toBe(`...${"😀".repeat(40)}>>>x<<<`);
  });

  it("is the beginning of the text when nothing matches literally", () => {
    expect(substringSnippet("short", ["zzz"])).toBe("short");
    expect(substringSnippet("İstanbul needle", ["needle"])).toBe("İstanbul >>>needle<<<");
    expect(substringSnippet("c".repeat(200), ["zzz"])).toBe(`${"c".repeat(120)}...`);
  });

  it("context is cut to 200 characters [10:STORE-18]", () => {
    expect(Array.from(contextText("😀".repeat(300)))).toHaveLength(200);
  });
});
