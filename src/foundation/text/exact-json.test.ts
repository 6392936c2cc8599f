import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeExact, decodeExactAt } from "./exact-json.ts";
import { exactJsonText, toExact } from "./exact-json-text.ts";

const again = (text: string) => {
  const decoded = decodeExact(text);
  return decoded === undefined ? undefined : exactJsonText(decoded.value);
};

describe("exact JSON", () => {
  it.each([
    ['{"b":1,"a":[1,2]}', '{"b": 1, "a": [1, 2]}'],
    ['{"10":1,"2":2}', '{"10": 1, "2": 2}'],
    ["{}", "{}"],
    ["[ ]", "[]"],
    ["1.0", "1.0"],
    ["1.10", "1.1"],
    ["1e2", "100.0"],
    ["1e16", "1e+16"],
    ["1e15", "1000000000000000.0"],
    ["0.0001", "0.0001"],
    ["0.00001", "1e-05"],
    ["-0.0", "-0.0"],
    ["123456.789", "123456.789"],
    ["12345678901234567890", "12345678901234567890"],
    ["-9007199254740993", "-9007199254740993"],
    ["1e999", "null"],
    ['"é\\u4f60\\n\\u0001\\u2028\\u007f"', '"é你\\n\\u0001\u2028\u007f"'],
    ['"\\ud83d\\ude00"', '"😀"'],
    ['"\\ud83d x"', '"\\ud83d x"'],
    ['{"a":1,"b":2,"a":3}', '{"a": 3, "b": 2}'],
    ['"a\\/b"', '"a/b"'],
  ])("%s is written %s [50:0.4]", (source, written) => {
    expect(again(source)).toBe(written);
  });

  it.each(["", "{", "[1,]", "{'a':1}", "01", "1.", '"\n"', '"\\x"', "NaN", "tru", '{"a" 1}', "1 2"])(
    "%j is not JSON",
    (text) => {
      expect(decodeExact(text)).toBeUndefined();
    },
  );

  it("decodes one value out of a longer text", () => {
    expect(decodeExactAt('  {"a": 1} tail', 0)?.end).toBe(10);
    expect(decodeExactAt("[[1] x", 1)?.end).toBe(4);
  });

  it("agrees with plain JSON about every value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const written = again(text);
        expect(written).toBeDefined();
        expect(JSON.parse(written ?? "")).toEqual(JSON.parse(text));
        expect(exactJsonText(toExact(JSON.parse(written ?? "")))).toBe(exactJsonText(toExact(JSON.parse(text))));
      }),
    );
  });

  it("accepts exactly what plain JSON accepts", () => {
    const piece = fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "1", "-", ".", "e", "a", "\\", "n", "null", " ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(decodeExact(text) !== undefined).toBe(isJson);
      }),
      { numRuns: 5_000 },
    );
  });

  it("gives up on absurd nesting instead of overflowing", () => {
    expect(decodeExact("[".repeat(100_000))).toBeUndefined();
  });
});
