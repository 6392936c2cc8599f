import path from "node:path";
import { table } from "../reference/markdown.ts";
import type { Citation } from "./citations.ts";
import { areas, levels, type Requirement } from "./requirement.ts";

const notYet = "not yet";

const note = "<!-- Written by scripts/generate-requirements.ts. Do not edit: run `npm run generate:requirements`. -->";

/**
 * A page with all requirements of an area and, for each, one test that proves it. What an earlier page names is kept
 * as long as it holds, so that a new test or a moved file changes nothing.
 */
export function areaPage(area: string, requirements: readonly Requirement[], proofs: Proofs): string {
  const sections = [...new Set(requirements.map(({ section }) => section))];
  const parts = sections.map((section) => {
    const rows = requirements
      .filter((one) => one.section === section)
      .map(({ id, level, sentence }) => [id, level, sentence, proofs.of(id) ?? notYet]);
    return `## ${section}\n\n${table(["Id", "Level", "Hermes", "Proven by"], rows)}`;
  });
  return `${[`# ${area}. ${areas[area]}`, note, ...parts].join("\n\n")}\n`;
}

/** The page that leads to the others, with how much is proven. */
export function indexPage(counts: readonly AreaCount[]): string {
  const rows = counts.map(({ area, total, proven }) => [
    `[${area}. ${areas[area]}](requirements/${area}.md)`,
    ...Object.keys(levels).map((level) =>
      total[level] === undefined ? "" : `${proven[level] ?? 0} of ${total[level]}`,
    ),
  ]);
  const words = Object.entries(levels).map(([level, meaning]) => `- **${level}**: ${meaning}`);
  return `${[
    "# Requirements",
    note,
    "What Hermes has to do, one sentence each, and the test that shows it. A test names what it proves in its title, `[10:LOOP-8]`; a row of a table of examples is named by its number, `[30:7.7-3]`. `git grep -F '[10:LOOP-8]'` finds all proofs of one requirement; the pages name one of them.",
    words.join("\n"),
    table(["Area", ...Object.keys(levels)], rows),
    "The sentences are in `docs/requirements/*.tsv`. A requirement that is added, dropped or changed is changed there, with the tests that cite it.",
  ].join("\n\n")}\n`;
}

export interface AreaCount {
  readonly area: string;
  readonly total: Readonly<Record<string, number>>;
  readonly proven: Readonly<Record<string, number>>;
}

export function countArea(area: string, requirements: readonly Requirement[], proofs: Proofs): AreaCount {
  const total: Record<string, number> = {};
  const proven: Record<string, number> = {};
  for (const { id, level } of requirements) {
    total[level] = (total[level] ?? 0) + 1;
    if (proofs.of(id) !== undefined) proven[level] = (proven[level] ?? 0) + 1;
  }
  return { area, total, proven };
}

/** Which test stands for which requirement of one area. */
export class Proofs {
  readonly #candidates = new Map<string, Set<string>>();
  readonly #earlier: ReadonlyMap<string, string>;

  constructor(citations: readonly Citation[], earlierPage: string) {
    for (const { id, file, title } of citations) {
      for (const proven of [id, sectionOf(id)]) {
        this.#candidates.set(proven, (this.#candidates.get(proven) ?? new Set()).add(proofText(file, title)));
      }
    }
    const rows = [...earlierPage.matchAll(/^\| (\S+) \| \w+ \| .* \| (.*) \|$/gm)];
    this.#earlier = new Map(rows.map(({ 1: id = "", 2: proof = "" }) => [id, proof]));
  }

  of(id: string): string | undefined {
    const candidates = this.#candidates.get(id);
    if (candidates === undefined) return undefined;
    const earlier = this.#earlier.get(id);
    if (earlier !== undefined && candidates.has(earlier)) return earlier;
    const titled = [...candidates].filter((one) => one.includes(": "));
    return (titled.length > 0 ? titled : [...candidates]).sort()[0];
  }
}

/** `7.7` for `7.7-3`, the third row of its table; other ids stand for themselves. */
export function sectionOf(id: string): string {
  return /^(\d+(?:\.\d+)+)-\d+$/.exec(id)?.[1] ?? id;
}

/** As it is printed, so that a page can be compared with it; folders are left out, because files move. */
function proofText(file: string, title: string): string {
  const words = title === "" ? "" : `: ${title}`;
  return `${path.posix.basename(file)}${words}`.replaceAll("|", "\\|");
}
