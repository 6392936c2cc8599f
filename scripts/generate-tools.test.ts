import { describe, expect, it } from "vitest";
import { builtins } from "../src/tools/builtin/index.generated.ts";
// @ts-expect-error plain script without types: the build runs it
import { readToolIndex, renderToolIndex } from "./generate-tools.mjs";

describe("the list of built-in tools", () => {
  it("[30:REG-10] is what the files in the folder say (run: npm run generate:tools)", () => {
    const { found, expected } = readToolIndex();
    expect(found).toBe(expected);
  });

  it("[30:REG-10] takes a new tool file without any edit, sorted, and leaves helpers and tests out", () => {
    const text = renderToolIndex(["zebra.tool.ts", "web-look.tool.ts", "helper.ts", "zebra.tool.test.ts", "index.ts"]);
    expect(text.match(/from "\.\/(.*)";/g)).toEqual([
      'from "./builtin-deps.ts";',
      'from "./web-look.tool.ts";',
      'from "./zebra.tool.ts";',
    ]);
    expect(text).toContain("import { builtin as webLook }");
    expect(text).toContain("  webLook,\n  zebra,\n};");
  });

  it("[30:REG-10] every file gives tools or none, and needs nothing to be asked", () => {
    for (const create of Object.values(builtins)) expect(Array.isArray(create({}))).toBe(true);
  });
});
