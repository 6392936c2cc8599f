import path from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..", "..");

/** A table of character widths, a few kilobytes: as small as one of our own would be. */
const table = "get-east-asian-width";

/** The packages a door loads as soon as it is imported; what stands behind `import()` is not counted. */
async function eagerPackages(door: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`src/${door}/index.ts`],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    conditions: ["hermes-source"],
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const one of metafile.inputs[file]?.imports ?? []) {
      if (one.kind === "dynamic-import") continue;
      if (one.external !== true) visit(one.path);
      else if (!one.path.startsWith("node:") && one.path !== table) packages.add(one.path);
    }
  };
  visit(`src/${door}/index.ts`);
  return [...packages].sort();
}

describe("what is loaded at start", () => {
  it.each([
    ["conversation", []],
    ["config", []],
    ["model", []],
    ["store", []],
    ["tools", ["unbash"]],
    ["app", ["unbash"]],
  ])("importing #%s loads no library but %j", async (door, expected) => {
    expect(await eagerPackages(door)).toEqual(expected);
  });
});
