import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coerceArguments } from "./coerce.ts";

const one = (schema: object, value: unknown) => coerceArguments({ x: value }, { properties: { x: schema } })["x"];

describe("coercion of arguments [30:1.9]", () => {
  it.each([
    ["integer", "42", 42],
    ["integer", " 42 ", 42],
    ["integer", "3.0", 3],
    ["integer", "1e3", 1000],
    ["integer", "3.5", "3.5"],
    ["integer", "", ""],
    ["integer", "0x10", "0x10"],
    ["integer", "1_000", "1_000"],
    ["integer", "abc", "abc"],
    ["integer", "9007199254740993", "9007199254740993"],
    ["integer", 5, 5],
    ["integer", null, null],
    ["number", "3.5", 3.5],
    ["number", "NaN", "NaN"],
    ["number", "Infinity", "Infinity"],
    ["number", "inf", "inf"],
    ["boolean", "true", true],
    ["boolean", " FALSE ", false],
    ["boolean", "yes", "yes"],
    ["boolean", "1", "1"],
    ["array", "[1,2]", [1, 2]],
    ["array", '{"a":1}', '{"a":1}'],
    ["object", '{"a":1}', { a: 1 }],
    [["integer", "string"], "7", 7],
    [["integer", "string"], "007", "007"],
    ["string", 12, "12"],
    ["string", true, "true"],
    ["string", "12", "12"],
  ])("%j of %j gives %j [30:REG-60]", (type, value, expected) => {
    expect(one({ type }, value)).toEqual(expected);
  });

  it("makes a list of one lone string where a list of strings is wanted [30:REG-60]", () => {
    expect(one({ type: "array", items: { type: "string" } }, "a b")).toEqual(["a b"]);
    expect(one({ type: "array", items: { type: "string" } }, "[broken")).toBe("[broken");
    expect(one({ type: "array", items: { type: "integer" } }, "a")).toBe("a");
  });

  it("leaves what the schema does not name, and everything when there is no schema", () => {
    const args = { y: "1" };
    expect(coerceArguments(args, { properties: { x: { type: "integer" } } })).toBe(args);
    expect(coerceArguments(args, {})).toBe(args);
  });

  it("never turns a value into another one: what changed prints as it was written", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const number = one({ type: "number" }, text);
        if (typeof number === "number") expect(Number(text.trim())).toBe(number);
      }),
    );
  });
});
