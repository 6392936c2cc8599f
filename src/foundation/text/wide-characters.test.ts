import { eastAsianWidth } from "get-east-asian-width";
import { expect, it } from "vitest";
import { isWide } from "./wide-characters.ts";

it("the table agrees with the library for every code point", () => {
  const different: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1)
    if (isWide(code) !== (eastAsianWidth(code) === 2)) different.push(code.toString(16));
  expect(different).toEqual([]);
});
