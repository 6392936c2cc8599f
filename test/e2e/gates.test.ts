import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Each gate is run on a small project of its own that breaks exactly one rule. */
const root = path.join(import.meta.dirname, "..", "..");
const project = mkdtempSync(path.join(tmpdir(), "hermes-gates-"));

beforeAll(() => {
  for (const file of ["biome.json", "tsconfig.json", "package.json"]) {
    copyFileSync(path.join(root, file), path.join(project, file));
  }
  symlinkSync(path.join(root, "node_modules"), path.join(project, "node_modules"));
  mkdirSync(path.join(project, "src", "tools"), { recursive: true });
  spawnSync("git", ["init", "-q"], { cwd: project });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function gate(command: readonly [string, ...string[]], file: string, text: string) {
  const [tool, ...args] = command;
  const target = path.join(project, "src", "tools", file);
  writeFileSync(target, text);
  const ran = spawnSync(process.execPath, [path.join(root, "node_modules", tool), ...args], {
    cwd: project,
    encoding: "utf8",
  });
  rmSync(target);
  return { code: ran.status, output: `${ran.stdout}${ran.stderr}` };
}

const lint = (file: string, text: string) =>
  gate(["@biomejs/biome/bin/biome", "lint", "src", "--error-on-warnings"], file, text);
const types = (text: string) => gate(["typescript7/bin/tsc", "--noEmit", "-p", "."], "x.ts", text);
const lines = (count: number) => Array.from({ length: count }, (_, index) => `  use(${index});`).join("\n");

describe("the lint gate", () => {
  it("lets clean code pass", () => {
    expect(lint("clean.ts", "export const answer = 42;\n")).toMatchObject({ code: 0 });
  });

  it.each([
    ["noExplicitAny", "x.ts", "export const x = (value: any) => value;\n"],
    ["noEnum", "x.ts", "export enum Colour {\n  Red,\n}\n"],
    ["noDefaultExport", "x.ts", "export default 1;\n"],
    ["noConsole", "x.ts", 'console.log("x");\n'],
    ["useMaxParams", "x.ts", "export const x = (a: number, b: number, c: number, d: number) => a + b + c + d;\n"],
    ["noNonNullAssertion", "x.ts", "export const x = (value?: string) => value!.length;\n"],
    ["useFilenamingConvention", "BadName.ts", "export const x = 1;\n"],
    ["noFloatingPromises", "x.ts", "async function a() {}\nexport function b() {\n  a();\n}\n"],
    [
      "noExcessiveLinesPerFunction",
      "x.ts",
      `declare const use: (n: number) => void;\nexport function x() {\n${lines(101)}\n}\n`,
    ],
    [
      "noExcessiveLinesPerFile",
      "x.ts",
      `declare const use: (n: number) => void;\n${lines(601).replaceAll("  use", "use")}\n`,
    ],
    [
      "useExhaustiveSwitchCases",
      "x.ts",
      'export function x(kind: "a" | "b") {\n  switch (kind) {\n    case "a":\n      return 1;\n  }\n  return 0;\n}\n',
    ],
  ])("fails on %s", (rule, file, text) => {
    const result = lint(file, text);
    expect(result.code).not.toBe(0);
    expect(result.output).toContain(rule);
  });
});

describe("the type gate", () => {
  it.each([
    ["a wrong type", 'export const x: number = "a";\n', "TS2322"],
    ["an index that may miss", "export const x = (list: string[]): string => list[0];\n", "TS2322"],
    ["a missing type import marker", 'import { PathLike } from "node:fs";\nexport type X = PathLike;\n', "TS1484"],
    ["an unused local", "export function x() {\n  const unused = 1;\n}\n", "TS6133"],
  ])("fails on %s", (_what, text, code) => {
    const result = types(text);
    expect(result.code).not.toBe(0);
    expect(result.output).toContain(code);
  });
});
