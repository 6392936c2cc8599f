import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitizeParameters } from "./schema-sanitize.ts";

describe("parameter schemas for strict backends [30:1.6]", () => {
  it.each([
    [undefined, { type: "object", properties: {} }],
    ["object", { type: "object", properties: {} }],
    [{}, { type: "object", properties: {} }],
    [
      { properties: { a: "string", b: "object", c: "nonsense" } },
      {
        type: "object",
        properties: {
          a: { type: "string" },
          b: { type: "object", properties: {} },
          c: { type: "object", properties: {} },
        },
      },
    ],
    [
      { properties: { a: { type: ["integer", "null"] } } },
      { type: "object", properties: { a: { type: "integer", nullable: true } } },
    ],
    [{ properties: { a: { type: ["string", "integer"] } } }, { type: "object", properties: { a: { type: "string" } } }],
    [
      { properties: { a: { type: "object" } }, required: ["a", "gone"] },
      { type: "object", properties: { a: { type: "object", properties: {} } }, required: ["a"] },
    ],
    [
      { properties: {}, required: ["gone"] },
      { type: "object", properties: {} },
    ],
    [
      { properties: { a: { type: "array", items: "string" } } },
      { type: "object", properties: { a: { type: "array", items: { type: "string" } } } },
    ],
    [
      { properties: { a: { anyOf: ["string", { type: "object" }], default: { type: ["x"] } } } },
      {
        type: "object",
        properties: {
          a: { anyOf: [{ type: "string" }, { type: "object", properties: {} }], default: { type: ["x"] } },
        },
      },
    ],
    [
      { properties: {}, additionalProperties: false },
      { type: "object", properties: {}, additionalProperties: false },
    ],
  ])("%j", (input, expected) => {
    expect(sanitizeParameters(input)).toEqual(expected);
  });

  it("never change what they were given and always end as an object schema", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = structuredClone(value);
        const sanitized = sanitizeParameters(value);
        expect(value).toEqual(before);
        expect(sanitized["type"]).toBe("object");
        expect(sanitizeParameters(sanitized)).toEqual(sanitized);
      }),
    );
  });
});
