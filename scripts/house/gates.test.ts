import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gates } from "./gates.ts";
import { readSourceTree } from "./source-tree.ts";

const temporary = mkdtempSync(path.join(tmpdir(), "hermes-house-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** What a gate says about a repository of these files. */
function findings(gate: string, files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(path.join(temporary, "repository-"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  const found = gates[gate]?.(readSourceTree(root));
  if (found === undefined) throw new Error(`no gate ${gate}`);
  return found.map(({ file, line, problem }) => `${file}:${line} ${problem}`);
}

/** An entry point of the program that calls what it is told to. */
const program = (text: string) => ({ "scripts/run.ts": text });

describe("the gate for doors", () => {
  const door = { "src/model/index.ts": 'export { a, b } from "./a.ts";\nexport type { C } from "./a.ts";\n' };

  it("names exports that no other subsystem imports; tests and the subsystem itself do not count", () => {
    const files = {
      ...door,
      "src/agent/loop.ts": 'import { a } from "#model";\na();',
      "src/agent/loop.test.ts": 'import { b } from "#model";\nb();',
      "src/model/other.ts": 'import { b } from "./a.ts";\nb();',
    };
    expect(findings("doors", files)).toEqual([
      "src/model/index.ts:1 no other subsystem imports b",
      "src/model/index.ts:2 no other subsystem imports C",
    ]);
  });

  it.each([
    ["by name", 'import { a, b } from "#model"; import type { C } from "#model";'],
    ["under another name", 'import { a as x, b as y, type C as Z } from "#model";'],
    ["when it runs", 'const { a, b } = await import("#model"); type D = import("#model").C;'],
    ["member by member", 'const m = await import("#model"); m.a(m.b); type D = import("#model").C;'],
    ["in a callback", 'import("#model").then(({ a, b }) => a(b)); type D = import("#model").C;'],
    [
      "in a list",
      'const [x, { a, b }] = await Promise.all([import("#x"), import("#model")]); type D = import("#model").C;',
    ],
    ["as a whole", 'import * as model from "#model"; use(model);'],
  ])("sees an import %s", (_way, text) => {
    expect(findings("doors", { ...door, "src/agent/loop.ts": text })).toEqual([]);
  });

  it("sees which names are taken from a list of imports", () => {
    const text = 'const [{ a }] = await Promise.all([import("#model"), import("#x")]); type D = import("#model").C;';
    expect(findings("doors", { ...door, "src/agent/loop.ts": text })).toEqual([
      "src/model/index.ts:1 no other subsystem imports b",
    ]);
  });

  it("wants a door to name what it exports, and looks behind one that does not", () => {
    const files = {
      "src/model/index.ts": 'export * from "./a.ts";',
      "src/model/a.ts": "export const a = 1;\nexport const b = 2;",
      "src/agent/loop.ts": 'import { a } from "#model";',
    };
    expect(findings("doors", files)).toEqual([
      "src/model/index.ts:1 a door names what it exports; this one hands on all of src/model/a.ts",
      "src/model/index.ts:1 no other subsystem imports b",
    ]);
  });

  it("leaves the published door alone", () => {
    expect(findings("doors", { "src/tui/index.ts": 'export { runTui } from "./app.ts";' })).toEqual([]);
  });
});

describe("the gate for connections", () => {
  it("names functions that only tests reach, and what only those reach", () => {
    const files = {
      ...program('import { live } from "#model";\nlive();'),
      "src/model/index.ts": 'export { live, dead } from "./a.ts";',
      "src/model/a.ts": [
        "export function live() { return inner(); }",
        "function inner() { return 1; }",
        "export function dead() { return below(); }",
        "function below() { return 2; }",
      ].join("\n"),
      "src/model/a.test.ts": 'import { dead } from "./a.ts";\ndead();',
    };
    expect(findings("connected", files)).toEqual([
      "src/model/a.ts:3 nothing reaches the function dead, and 1 more that only it uses",
    ]);
  });

  it("names one of those that only use each other", () => {
    const text = "export const a = () => b();\nexport const b = () => a();";
    expect(findings("connected", { "src/model/a.ts": text })).toEqual([
      "src/model/a.ts:1 nothing reaches the function a, and 1 more that only it uses",
    ]);
  });

  it("follows what is imported when it runs, what a loaded file does, and programs named by their file", () => {
    const files = {
      ...program(
        'const { late } = await import("../src/model/a.ts");\nstart(new URL("../src/model/worker.js", here));',
      ),
      "src/model/a.ts": 'import "./effect.ts";\nexport const late = () => 1;\nexport const never = () => 2;',
      "src/model/effect.ts": "const table = 1;\nregister(table);",
      "src/model/worker.ts": "const job = 1;\nrun(job);",
    };
    expect(findings("connected", files)).toEqual(["src/model/a.ts:3 nothing reaches the function never"]);
  });

  it("names methods and ports that nothing calls", () => {
    const files = {
      ...program('import { Box } from "../src/model/a.ts";\nnew Box().open();'),
      "src/model/a.ts": "export interface Lid {\n  shut(): void;\n}\nexport class Box {\n  open() {}\n  burn() {}\n}",
    };
    expect(findings("connected", files)).toEqual([
      "src/model/a.ts:2 nothing calls the port Lid.shut",
      "src/model/a.ts:6 nothing calls the method Box.burn",
    ]);
  });

  it("names optional ports that nothing but a test supplies", () => {
    const files = {
      ...program('import { work } from "../src/model/a.ts";\nwork({ stop: () => {} });'),
      "src/model/a.ts": [
        "export interface Deps {",
        "  notify?(text: string): void;",
        "  readonly hint?: ((text: string) => void) | undefined;",
        "  stop?(): void;",
        "  readonly depth?: number;",
        "  readonly of_file?: number;",
        "}",
        "export function work(deps: Deps) { deps.notify?.(''); deps.hint?.(''); deps.stop?.(); }",
      ].join("\n"),
      "src/model/a.test.ts": 'import { work } from "./a.ts";\nwork({ notify: () => {}, hint: () => {}, depth: 2 });',
    };
    expect(findings("connected", files)).toEqual([
      "src/model/a.ts:2 nothing supplies the optional port Deps.notify",
      "src/model/a.ts:3 nothing supplies the optional port Deps.hint",
      "src/model/a.ts:5 nothing supplies the option Deps.depth",
    ]);
  });
});

describe("the gate for folders", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/model/file-${at}.ts`, "export {};"]));

  it("allows twenty files in a folder, tests not counted", () => {
    expect(findings("folders", { ...many(20), "src/model/a.test.ts": "" })).toEqual([]);
    expect(findings("folders", many(21))).toEqual(["src/model:1 21 files lie loose here (at most 20)"]);
  });
});

describe("the gate for cycles of folders", () => {
  it("names neighbours that import each other, also by way of a third; a file beside them may hold their types", () => {
    const files = {
      "src/model/a/one.ts": 'import { two } from "../b/two.ts";',
      "src/model/b/two.ts": 'import { between } from "../between.ts";',
      "src/model/between.ts": 'import { one } from "./a/deep/one.ts";',
      "src/model/a/deep/one.ts": "export const one = 1;",
      "src/model/c/one.ts": 'import type { Two } from "../d/two.ts";',
      "src/model/d/two.ts": 'import type { Shared } from "../shared.ts";\nexport interface Two {}',
      "src/model/shared.ts": 'import type { Two } from "./d/two.ts";\nexport interface Shared {}',
    };
    const [found, ...others] = findings("cycles", files);
    expect(found).toContain("src/model:1 goes round: a, b, between.ts; lightest:");
    expect(found).toContain("a -> b 1x (src/model/a/one.ts:1)");
    expect(others).toEqual([]);
  });

  it("allows a folder and the file that uses it, whatever stands in the door", () => {
    const files = {
      "src/model/index.ts": 'export { open } from "./open.ts";',
      "src/model/open.ts": 'import { one } from "./a/one.ts";',
      "src/model/a/one.ts": 'import type { Shape } from "../shape.ts";',
      "src/model/shape.ts": "export interface Shape {}",
    };
    expect(findings("cycles", files)).toEqual([]);
  });
});

describe("the gate for inner layers", () => {
  it("names imports that go up and folders without a row", () => {
    const files = {
      "src/tools/files/read.ts": 'import { run } from "../builtin/run.ts";',
      "src/tools/builtin/run.ts": 'import { exec } from "../terminals/exec.ts";',
      "src/tools/terminals/exec.ts": "export const exec = 1;",
      "src/tools/attic/old.ts": "export {};",
    };
    expect(findings("inner-layers", files)).toEqual([
      "src/tools/attic:1 has no row in innerLayers of scripts/layers.ts",
      "src/tools/files/read.ts:1 tools/files may not import tools/builtin (../builtin/run.ts)",
    ]);
  });
});

describe("the gate for words", () => {
  it("names identifiers, files and texts", () => {
    const files = {
      "src/model/target-wish.ts":
        'export interface TargetWish {}\nconst text = "Hermes met an error it did not expect";',
      "src/model/a.ts": "export const placeOf = (given: string) => given;\nexport interface SharedParts {}",
    };
    expect(findings("words", files)).toEqual([
      "src/model/a.ts:1 placeOf: say Location",
      "src/model/a.ts:1 given: say the thing that is given",
      "src/model/a.ts:2 SharedParts: say Deps, Options or the things themselves",
      "src/model/target-wish.ts:1 target-wish: say Options or Request",
      "src/model/target-wish.ts:1 TargetWish: say Options or Request",
      'src/model/target-wish.ts:2 "Hermes met an error it did not expect": say Unexpected error',
    ]);
  });

  it("allows words that only contain one, and members of values that are not ours", () => {
    const text =
      'const placeholder = text.replace(/a/, "b").said;\nconst parts = text.split("/");\neditInPlace(parts);';
    expect(findings("words", { "src/model/a.ts": text })).toEqual([]);
  });
});

describe("the gate for time limits", () => {
  it("names those that Node forgets", () => {
    const files = {
      "src/model/a.ts": "const one = 1;\nask(AbortSignal.timeout(one));",
      "src/model/b.ts": "// AbortSignal.timeout is not used here\nask(timeLimit(1));",
    };
    expect(findings("time-limits", files)).toEqual(["src/model/a.ts:2 AbortSignal.timeout: say timeLimit or deadline"]);
  });
});
