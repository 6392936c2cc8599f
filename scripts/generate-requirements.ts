// Writes docs/requirements.md and docs/requirements/<area>.md from the sentences beside them and the tests that cite them.
// A test says when a page is stale and when a test cites what does not exist.
//   npm run generate:requirements
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Citation, readCitations } from "./requirements/citations.ts";
import { areaPage, countArea, indexPage, Proofs, sectionOf } from "./requirements/pages.ts";
import { areas, readRequirements } from "./requirements/requirement.ts";

const testFolders = ["src", "scripts", "test"];

/** The pages as they should be, by path. */
export function requirementPages(root: string): ReadonlyMap<string, string> {
  const citations = readCitations(root, testFolders);
  const pages = new Map<string, string>();
  const counts = Object.keys(areas).map((area) => {
    const requirements = readRequirements(root, area);
    const file = `docs/requirements/${area}.md`;
    const proofs = new Proofs(
      citations.filter((one) => one.area === area),
      readOrEmpty(path.join(root, file)),
    );
    pages.set(file, areaPage(area, requirements, proofs));
    return countArea(area, requirements, proofs);
  });
  return pages.set("docs/requirements.md", indexPage(counts));
}

/** Citations of requirements that nobody wrote down. */
export function unknownCitations(root: string): readonly Citation[] {
  const known = new Map(
    Object.keys(areas).map((area) => [area, new Set(readRequirements(root, area).map(({ id }) => id))]),
  );
  return readCitations(root, testFolders).filter(({ area, id }) => {
    const ids = known.get(area);
    return ids !== undefined && !ids.has(id) && !ids.has(sectionOf(id));
  });
}

function readOrEmpty(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

if (process.argv[1]?.endsWith("generate-requirements.ts")) {
  const root = path.join(import.meta.dirname, "..");
  for (const [file, text] of requirementPages(root)) {
    writeFileSync(path.join(root, file), text);
    console.log(`${file}: ${text.split("\n").length} lines`);
  }
}
