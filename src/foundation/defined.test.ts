import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { defined } from "./defined.ts";

describe("defined", () => {
  it("keeps every field with a value, in its order, and no other", () => {
    const values = fc.oneof(fc.constant(undefined), fc.constant(null), fc.constant(0), fc.constant(""), fc.string());
    fc.assert(
      fc.property(fc.dictionary(fc.string(), values, { noNullPrototype: true }), (fields) => {
        const expected = Object.entries(fields).filter(([, value]) => value !== undefined);
        expect(Object.entries(defined(fields))).toEqual(expected);
      }),
    );
  });

  it("has optional fields where a value may be missing", () => {
    const title = "tea" as string | undefined;
    expectTypeOf({ ...defined({ title, id: 1 }) }).toEqualTypeOf<{ title?: string; id: number }>();
    expect({ id: 1, ...defined({ title: undefined }) }).toStrictEqual({ id: 1 });
  });
});
