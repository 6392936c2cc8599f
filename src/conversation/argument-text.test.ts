import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArguments } from "./argument-text.ts";

const value = (text: string) => {
  const read = readArguments(text);
  return read.kind === "ok" ? read.value : read.kind;
};

describe("arguments a model wrote", () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['{"a":1,}', { a: 1 }],
    ['{"path":"x",}', { path: "x" }],
    ['{"a":[1,2}', { a: [1, 2] }],
    ['{"a":[1,2,]}', { a: [1, 2] }],
    ['{"a":1}}', { a: 1 }],
    ['{"a":{"b":[1]}', { a: { b: [1] } }],
    ['{"a":"line\nbreak\tand\u0001"}', { a: "line\nbreak\tand\u0001" }],
    ['{"a":"kept ,} as it is"}', { a: "kept ,} as it is" }],
    ["", {}],
    ["  ", {}],
    ["None", {}],
    ["null", {}],
  ])("%j are read as %j [10:LOOP-34] [10:LOOP-35] [20:R1.24] [30:REG-56]", (text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it.each(['{"cmd": "ls', '{"a":"unterminated', '{"a":1', '{"a":[1,2', '{"a":', "{"])(
    "%j were cut and are not run [10:LOOP-29] [10:LOOP-34] [30:REG-56]",
    (text) => {
      expect(readArguments(text).kind).toBe("truncated");
    },
  );

  it.each(["[1,2]", '"text"', "42", "{a:1}", "{'a':1}", '{"a" 1}', "rm -rf /}"])(
    "%j are refused with words, not guessed at",
    (text) => {
      const read = readArguments(text);
      expect(read.kind).toBe("invalid");
      expect(read.kind === "invalid" && read.message.length).toBeGreaterThan(5);
    },
  );

  it("never become something else: what parses is taken as it is", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2), (original, indent) => {
        const text = JSON.stringify(original, null, indent);
        expect(readArguments(text)).toEqual({ kind: "ok", value: JSON.parse(text), wasMended: false });
      }),
    );
  });

  it("cut anywhere never run with a different meaning", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (original, at) => {
        const text = JSON.stringify(original);
        const cut = text.slice(0, 1 + (at % (text.length - 1)));
        const read = readArguments(cut);
        if (cut.length < text.length && read.kind === "ok") {
          // Only a text that ends on a closer may be mended, and then only by closing what is open.
          expect(cut).toMatch(/[}\]]$/);
          expect(read.wasMended).toBe(true);
        }
      }),
    );
  });

  it("of any text give an answer in linear time", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(["ok", "truncated", "invalid"]).toContain(readArguments(text).kind);
      }),
    );
    expect(readArguments(`{"a":${"[".repeat(20_000)}`).kind).toBe("truncated");
    expect(readArguments(`{"a":1${"}".repeat(100_000)}`).kind).toBe("invalid");
  });
});
