import { expect, test } from "vitest";
import { z } from "zod";
import { sealText } from "../seal.ts";
import { shapeOf } from "../shape.ts";
import { tableOf } from "./table-of.ts";

const tableFor = (field: z.ZodType) => {
  const schema = z.object({ field });
  return tableOf(schema, shapeOf(schema));
};

test("[20:R7.12] keys that are alike share a node, and the whole comes last", () => {
  const schema = z.object({ a: z.string().default(""), b: z.int().min(1).optional(), c: z.string().default("") });
  expect(tableOf(schema, shapeOf(schema))).toEqual([
    { kind: "text", default: "" },
    { kind: "number", whole: true, min: 1, absent: "left-out" },
    { kind: "object", fields: { a: 0, b: 1, c: 0 } },
  ]);
});

// A table that is only nearly right would let a load differ from the schema, so these stop the generator.
test.each([
  ["text with a length", z.string().min(1)],
  ["text of a format", z.email()],
  ["a number with an open border", z.number().gt(0)],
  ["a number with a step", z.number().multipleOf(5)],
  ["text made from anything", z.coerce.string()],
  ["a list with a length", z.array(z.string()).max(3)],
  ["a rule of its own", z.boolean().refine((value) => value)],
  ["a change of the value", z.string().transform((value) => value.trim())],
  ["a second change", z.string().transform(sealText).transform(String)],
  ["a default around a seal", z.string().transform(sealText).default(sealText(""))],
  [
    "a seal around an optional value",
    z
      .string()
      .optional()
      .transform((value) => sealText(value ?? "")),
  ],
  ["two answers for a missing value", z.string().default("a").optional()],
  ["a default that is no data", z.unknown().default(new Date(0))],
  ["a group that starts with values", z.object({ a: z.string() }).prefault({ a: "b" })],
  ["a group that keeps other keys", z.looseObject({ a: z.string() })],
  ["a group that refuses other keys", z.strictObject({ a: z.string() })],
  ["a map with special keys", z.record(z.string().min(2), z.string())],
  ["a map with named keys", z.record(z.enum(["a"]), z.string())],
  ["any value", z.unknown()],
  ["a kind of value that no key has", z.date()],
])("[20:R7.12] %s is refused", (_name, field) => {
  expect(() => tableFor(field)).toThrow(/the configuration schema/);
});
