import path from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { platformIds } from "#gateway";

const root = path.join(import.meta.dirname, "..", "..");

/** A table of character widths, a few kilobytes: as small as one of our own would be. */
const table = "get-east-asian-width";

/** Every import of a source and of what it imports. */
async function importsOf(entry: string) {
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
  return metafile.inputs;
}

interface Asked {
  readonly entry: string;
  /** What stands behind `import()` counts too. */
  readonly isLater?: boolean;
  /** Only what sources below this folder import. */
  readonly within?: string;
}

/** The packages a source loads. */
function packagesIn(
  inputs: Awaited<ReturnType<typeof importsOf>>,
  { entry, isLater = false, within = "src/" }: Asked,
): readonly string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const one of inputs[file]?.imports ?? []) {
      if (one.kind === "dynamic-import" && !isLater) continue;
      if (one.external !== true) visit(one.path);
      else if (file.startsWith(within) && !one.path.startsWith("node:") && one.path !== table) packages.add(one.path);
    }
  };
  visit(entry);
  return [...packages].sort();
}

describe("what is loaded at start", () => {
  it.each([
    ["conversation", []],
    ["config", []],
    ["model", []],
    ["store", []],
    ["tools", []],
    ["app", []],
  ])("importing #%s loads no library but %j", async (door, expected) => {
    const entry = `src/${door}/index.ts`;
    expect(packagesIn(await importsOf(entry), { entry })).toEqual(expected);
  });

  it("a platform loads nothing before it connects, and then no library of another [40:ADP-4]", async () => {
    // Markdown, HTML and sockets are no platform's own.
    const shared = ["linkedom", "marked", "ws"];
    const loaded = new Map<string, { readonly own: readonly string[]; readonly all: readonly string[] }>();
    for (const id of platformIds) {
      const within = `src/gateway/adapters/${id.replaceAll("_", "-")}/`;
      const entry = `${within}index.ts`;
      const inputs = await importsOf(entry);
      const packages = (asked: Omit<Asked, "entry">) =>
        packagesIn(inputs, { entry, ...asked }).filter((one) => !shared.includes(one));
      expect(packages({})).toEqual([]);
      loaded.set(id, { own: packages({ isLater: true, within }), all: packages({ isLater: true }) });
    }
    expect(loaded.get("email")?.own).toContain("imapflow");
    for (const [id, { own, all }] of loaded) {
      const foreign = [...loaded].flatMap(([other, { own: theirs }]) => (other === id ? [] : theirs));
      expect({ id, loads: all.filter((one) => foreign.includes(one) && !own.includes(one)) }).toEqual({
        id,
        loads: [],
      });
    }
  });
});
