import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openParts } from "../../src/cli/parts.ts";
// @ts-expect-error plain script without types: the build runs it
import { packParts } from "./parts.mjs";

const sources: Readonly<Record<string, string>> = {
  "main.js": `
    import path, { basename as nameOf } from "node:path";
    import * as everything from "node:path";
    import { shared } from "./shared.js";
    export const here = import.meta.url;
    export const names = [path.basename("/a/b"), nameOf("/a/c"), everything.default === path, shared("main")];
    export const behind = () => import("./behind.js").then(({ default: text, more }) => text + more);
    export const old = () => import("./old.cjs").then(({ default: made }) => made.answer);
    export const zlib = () => import("node:zlib").then((one) => one.default.gunzipSync === one.gunzipSync);`,
  "shared.js": `export const shared = (name) => "shared with " + name;`,
  "behind.js": `
    import { shared } from "./shared.js";
    import { other } from "./circle-a.js";
    globalThis.ranBehind = (globalThis.ranBehind ?? 0) + 1;
    export const more = other();
    export default shared("behind");`,
  "circle-a.js": `import { last } from "./circle-b.js"; export const other = () => last() + "!"; export const first = () => "first";`,
  "circle-b.js": `import { first } from "./circle-a.js"; export const last = () => first() + " and last";`,
  "old.cjs": `const { sep } = require("node:path"); module.exports = { answer: sep.length + 41 };`,
};

describe("the parts of the built program", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "hermes-parts-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function pack(roots: Readonly<Record<string, readonly string[]>>): Promise<Readonly<Record<string, string>>> {
    for (const [name, text] of Object.entries(sources)) writeFileSync(path.join(folder, name), text);
    const built = await build({
      ...{ absWorkingDir: folder, entryPoints: { program: "main.js" }, outdir: "out", write: false, metafile: true },
      ...{ bundle: true, minify: true, splitting: true, format: "esm", platform: "node", charset: "ascii" },
      define: { "import.meta.url": "__importMetaUrl" },
    });
    const files = packParts(built, roots) as Readonly<Record<string, string>>;
    const dist = path.join(folder, "dist");
    mkdirSync(dist);
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dist, `${name}.js`), text);
    return files;
  }

  interface Main {
    readonly here: string;
    readonly names: readonly unknown[];
    behind(): Promise<string>;
    old(): Promise<number>;
    zlib(): Promise<boolean>;
  }
  const start = () => openParts(path.join(folder, "dist"), createRequire(import.meta.url))("program", 0) as Main;

  it("mean what the modules meant that they were made of", async () => {
    await pack({ program: ["main.js"], later: [] });
    const main = start();
    expect(main.names).toEqual(["b", "c", true, "shared with main"]);
    expect(main.here).toBe(`file://${path.join(folder, "dist", "program.js")}`);
    Reflect.deleteProperty(globalThis, "ranBehind");
    expect(await main.behind()).toBe("shared with behindfirst and last!");
    expect(await main.behind()).toBe("shared with behindfirst and last!");
    expect(Reflect.get(globalThis, "ranBehind")).toBe(1);
    expect(await main.old()).toBe(42);
    expect(await main.zlib()).toBe(true);
  });

  it("lie in the file that was named for them, and are read when they are asked for", async () => {
    const files = await pack({ program: ["main.js"], behind: ["behind.js"], later: [] });
    expect(files["behind"]).toContain("and last");
    expect(files["program"]).toContain("shared with");
    expect(files["later"]).toContain("41");
    const main = start();
    rmSync(path.join(folder, "dist", "later.js"));
    expect(await main.behind()).toContain("shared with behind");
    await expect(main.old()).rejects.toThrow("later.js");
  });

  it("can be named after a source that lies inside a chunk, with all that chunk holds", async () => {
    const files = await pack({ program: ["main.js"], behind: ["circle-a.js"], later: [] });
    expect(files["behind"]).toContain("and last");
    expect(await start().behind()).toBe("shared with behindfirst and last!");
  });

  it("cannot be named after a source that is no longer part of the program", async () => {
    await expect(pack({ program: ["main.js"], behind: ["gone.js"], later: [] })).rejects.toThrow("gone.js");
  });
});
