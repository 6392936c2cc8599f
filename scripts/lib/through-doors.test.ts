import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, it } from "vitest";
// @ts-expect-error plain script without types: the build runs it
import { throughDoors } from "./through-doors.mjs";

let root = "";

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "hermes-doors-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The modules that reach the program, by file name. */
async function modulesOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await mkdir(path.join(root, "src/house"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(root, "src", name), text);
  const manifest = { imports: { "#house": { "hermes-source": "./src/house/index.ts" } } };
  const built = await build({
    bundle: true,
    splitting: true,
    format: "esm",
    metafile: true,
    write: false,
    absWorkingDir: root,
    outdir: "dist",
    entryPoints: [path.join(root, "src/main.ts")],
    alias: { "#house": path.join(root, "src/house/index.ts") },
    plugins: [throughDoors(root, manifest)],
  });
  const main = Object.entries(built.metafile.outputs).find(([name]) => name.endsWith("main.js"));
  const reached = new Set<string>();
  const visit = (name: string): void => {
    const output = built.metafile.outputs[name];
    if (output === undefined) return;
    for (const input of Object.keys(output.inputs)) reached.add(path.basename(input));
    for (const one of output.imports) if (one.kind === "import-statement") visit(one.path);
  };
  visit(main?.[0] ?? "");
  return [...reached].sort();
}

const rooms = {
  "house/kitchen.ts": `export const cook = () => "soup";`,
  "house/cellar.ts": `export const wine = () => "red";`,
  "main.ts": `import { meal } from "#house";\nconsole.log(meal(), import("#house"));`,
};

it("loads what stands behind a door, and nothing else of the house", async () => {
  const door = `/** A house. */\nexport { wine } from "./cellar.ts";\nexport { cook as meal } from "./kitchen.ts";\n`;
  expect(await modulesOf({ ...rooms, "house/index.ts": door })).toEqual(["kitchen.ts", "main.ts"]);
});

it("leaves a door with logic of its own alone", async () => {
  const door = `export { wine } from "./cellar.ts";\nimport { cook } from "./kitchen.ts";\nexport const meal = () => cook();\n`;
  expect(await modulesOf({ ...rooms, "house/index.ts": door })).toContain("cellar.ts");
});
