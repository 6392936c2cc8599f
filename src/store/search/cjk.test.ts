import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gramQuery, hasCjk, indexedGrams } from "./cjk.ts";

describe("text without spaces", () => {
  it("is indexed by pairs, and by the last character of a run", () => {
    expect(indexedGrams("abc 记忆断裂 x 裂")).toEqual(["记忆", "忆断", "断裂", "裂"]);
    expect(indexedGrams("plain english")).toEqual([]);
  });

  it("is asked for by pairs, or by the beginning of one", () => {
    expect(gramQuery("记忆断")).toEqual({ pairs: ["记忆", "忆断"], beginnings: [] });
    expect(gramQuery("记")).toEqual({ pairs: [], beginnings: ["记"] });
    expect(gramQuery("Python记忆 与")).toEqual({ pairs: ["记忆"], beginnings: ["与"] });
  });

  it("is recognised in all its scripts, extensions included [10:STORE-19]", () => {
    for (const text of ["漢", "㐀", "𠀀", "ひ", "カ", "한", "。", "ｶ"]) expect(hasCjk(text)).toBe(true);
    for (const text of ["a", "é", "ж", "😀", "1"]) expect(hasCjk(text)).toBe(false);
  });

  it("every part of a text is found by what the text is indexed with", () => {
    const character = fc.constantFrom(..."记忆断裂的问题データ한국");
    const run = fc.array(character, { minLength: 1, maxLength: 12 }).map((characters) => characters.join(""));
    fc.assert(
      fc.property(run, fc.nat(), fc.nat({ max: 5 }), (text, from, length) => {
        const start = from % text.length;
        const part = text.slice(start, start + length + 1);
        const grams = indexedGrams(text);
        const { pairs, beginnings } = gramQuery(part);
        expect(pairs.every((pair) => grams.includes(pair))).toBe(true);
        expect(beginnings.every((begin) => grams.some((gram) => gram.startsWith(begin)))).toBe(true);
      }),
    );
  });
});
