import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UserError } from "#foundation/errors";
import { formatKeyPath, parseKeyPath } from "./key-path.ts";

describe("names of settings", () => {
  test.each([
    ["timezone", ["timezone"]],
    ["agent.max_turns", ["agent", "max_turns"]],
    ['pricing.overrides.openai."gpt-4.1".input', ["pricing", "overrides", "openai", "gpt-4.1", "input"]],
    ["custom_providers[0].name", ["custom_providers", "0", "name"]],
    ["custom_providers.0.name", ["custom_providers", "0", "name"]],
    ['a."b \\"c\\"".d', ["a", 'b "c"', "d"]],
  ])("%s", (key, path) => {
    expect(parseKeyPath(key)).toEqual(path);
  });

  test.each(["", ".", "a.", ".a", "a..b", "[0]", 'a."b', "a]b", "__proto__.x", "a.constructor.b", 'a"b"'])(
    "%s is refused",
    (key) => {
      expect(() => parseKeyPath(key)).toThrow(UserError);
    },
  );

  test("every path can be written and read back", () => {
    const segment = fc
      .string({ minLength: 1 })
      .filter((text) => text.trim() === text && !["__proto__", "prototype", "constructor"].includes(text));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (path) => {
        expect(parseKeyPath(formatKeyPath(path))).toEqual(path);
      }),
    );
  });
});
