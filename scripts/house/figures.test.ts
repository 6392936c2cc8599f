import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { figures } from "./figures.ts";

it("counts files, functions, tests, small files and exports of a repository", () => {
  const root = mkdtempSync(path.join(tmpdir(), "hermes-figures-"));
  const write = (file: string, lines: readonly string[]) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), `${lines.join("\n")}\n`);
  };
  try {
    write("src/model/index.ts", ['export { used, unused } from "./a.ts";']);
    write("src/model/a.ts", ["export const unused = 1;", "export function used() {", "  return 1;", "}"]);
    write("src/agent/b.ts", ['import { used } from "#model";', "used();", "const x = y === undefined ? {} : { y };"]);
    write("src/agent/b.test.ts", ["// one", "// two"]);
    write("scripts/run.ts", ["export {};"]);
    write("test/c.ts", ["// three"]);
    expect(figures(root)).toEqual(
      expect.arrayContaining([
        "files: 3, lines: 8, median 3 lines a file",
        "  model: 2 files, 5 lines",
        "  3 lines: used (src/model/a.ts:2)",
        "test files: 2, lines: 3, lines of tests for a line of source: 0.38",
        "files below 40 lines with one importer: 2",
        "optional values passed as spreads (x === undefined ? {} : { x }): 1",
        "exports of doors: 2, imported by no other subsystem: 1 (50 %)",
        "gate doors: 1",
      ]),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
