import path from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..", "..");

/** A table of character widths, a few kilobytes: as small as one of our own would be. */
const table = "get-east-asian-width";

/** The files that are loaded as soon as the program is, without what stands behind `import()`. */
async function eagerFiles(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    conditions: ["hermes-source"],
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const one of metafile.inputs[file]?.imports ?? []) {
      if (one.kind === "dynamic-import" || one.path.startsWith("node:") || one.path === table) continue;
      if (one.external === true) seen.add(one.path);
      else visit(one.path);
    }
  };
  visit(entry);
  return [...seen];
}

describe("what the command line loads before a command is chosen", () => {
  it("is the tree and the foundation it stands on: no settings, no model, no store, no package [20:R0.8][20:A8.10]", async () => {
    const files = await eagerFiles("src/cli/program.ts");
    expect(files.filter((file) => !/^src\/(cli|foundation)\//.test(file))).toEqual([]);
    expect(files.filter((file) => /^src\/cli\/(commands|support|completion)\//.test(file))).toEqual([]);
  });

  it("is little more for the path of the settings and for completion [20:R0.8]", async () => {
    for (const entry of [
      "src/cli/commands/config/path.ts",
      "src/cli/completion/complete.ts",
      "src/cli/completion/scripts.ts",
    ]) {
      const files = await eagerFiles(entry);
      expect(files.filter((file) => !/^src\/(cli|foundation)\//.test(file))).toEqual([]);
    }
  });
});
