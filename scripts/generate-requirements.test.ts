import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { requirementPages, unknownCitations } from "./generate-requirements.ts";
import { readRequirements } from "./requirements/requirement.ts";

const root = path.join(import.meta.dirname, "..");

describe("the requirements of this repository", () => {
  it("are on their pages as they are written down and proven (run: npm run generate:requirements)", () => {
    for (const [file, expected] of requirementPages(root)) {
      expect(readFileSync(path.join(root, file), "utf8") === expected, `${file} is stale`).toBe(true);
    }
  });

  it("are the only ones that tests cite", () => {
    const unknown = unknownCitations(root).map(({ area, id, file, line }) => `${file}:${line} [${area}:${id}]`);
    expect(unknown).toEqual([]);
  });
});

describe("a page of requirements", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "hermes-requirements-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  const cite = (id: string) => `[${id}]`;
  const rows = () => {
    const pages = requirementPages(folder);
    for (const [file, text] of pages) write(file, text);
    return pages.get("docs/requirements/10.md")?.match(/^\| [A-Z0-9.-]+ \| must .*$/gm);
  };

  beforeEach(() => {
    rmSync(folder, { recursive: true, force: true });
    for (const area of ["20", "30", "40", "50"]) write(`docs/requirements/${area}.tsv`, "# Nothing\n");
    write(
      "docs/requirements/10.tsv",
      "# Turns\nX-1\tmust\tHermes answers.\nX-2\tmust\tHermes ends.\n9.1\tmust\tRows hold.\n",
    );
    write(
      "src/b/turn.test.ts",
      `describe("a turn", () => {\n  it("answers ${cite("10:X-1")}", () => {});\n  it("a row ${cite("10:9.1-3")}", () => {});\n});\n`,
    );
    write("scripts/x.test.ts", "");
    write("test/contracts/y.ts", "");
  });

  it("names the test that proves a requirement with its group, and what is not proven yet", () => {
    expect(rows()).toEqual([
      "| X-1 | must | Hermes answers. | turn.test.ts: a turn › answers |",
      "| X-2 | must | Hermes ends. | not yet |",
      "| 9.1 | must | Rows hold. | turn.test.ts: a turn › a row |",
    ]);
    expect(requirementPages(folder).get("docs/requirements.md")).toContain("| 2 of 3 |");
  });

  it("stays as it is when a test is added or moved, and changes when the named one goes", () => {
    const before = rows();
    write("src/a/answer.test.ts", `it("also answers ${cite("10:X-1")}", () => {});`);
    expect(rows()).toEqual(before);
    cpSync(path.join(folder, "src/b"), path.join(folder, "src/c"), { recursive: true });
    rmSync(path.join(folder, "src/b"), { recursive: true });
    expect(rows()).toEqual(before);
    rmSync(path.join(folder, "src/c"), { recursive: true });
    expect(rows()?.[0]).toBe("| X-1 | must | Hermes answers. | answer.test.ts: also answers |");
  });

  it("is not made of a broken line, and a citation of nothing is found", () => {
    write("src/b/wrong.test.ts", `it("is wrong ${cite("10:X-9")} ${cite("10:X-1-2")}", () => {});`);
    expect(unknownCitations(folder).map(({ id, line }) => [id, line])).toEqual([
      ["X-9", 1],
      ["X-1-2", 1],
    ]);
    write("docs/requirements/10.tsv", "# Turns\nX-1\tmust\tHermes answers\n");
    expect(() => readRequirements(folder, "10")).toThrow('10.tsv:2 is not "id, level, sentence."');
    write("docs/requirements/10.tsv", "X-1\tmust\tA.\nX-1\tmust\tB.\n");
    expect(() => readRequirements(folder, "10")).toThrow("names X-1 a second time");
  });
});
