import { describe, expect, it } from "vitest";
import { pageNames, readPage } from "./generate-reference.ts";

describe("the reference", () => {
  it.each(pageNames)("page %s is what the program says (run: npm run generate:reference)", async (name) => {
    const { found, expected } = await readPage(name);
    expect(found).toBe(expected);
  });
});
