import { readFileSync } from "node:fs";
import path from "node:path";

/** What Hermes must do, in one sentence. Tests cite it as `[10:LOOP-8]`. */
export interface Requirement {
  readonly id: string;
  readonly level: string;
  readonly sentence: string;
  readonly section: string;
}

/** The areas of the requirements; the number is the first half of a citation. */
export const areas: Readonly<Record<string, string>> = {
  "10": "Agent core",
  "20": "Providers, configuration, command line and terminal",
  "30": "Tools",
  "40": "Gateway, schedules, hooks and HTTP API",
  "50": "Environments, training and data",
};

export const levels: Readonly<Record<string, string>> = {
  must: "required",
  should: "expected; left out only for a reason",
  beyond: "more than was asked for",
  example: "an example that must come out as described",
  lesson: "a mistake of an earlier program that must not return",
};

/** Reads `docs/requirements/<area>.tsv`: id, level and sentence, below headings that begin with `#`. */
export function readRequirements(root: string, area: string): readonly Requirement[] {
  const file = path.join(root, "docs/requirements", `${area}.tsv`);
  const found: Requirement[] = [];
  const seen = new Set<string>();
  let section = "";
  for (const [at, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (line === "") continue;
    if (line.startsWith("# ")) {
      section = line.slice(2);
      continue;
    }
    const [id = "", level = "", sentence = "", ...rest] = line.split("\t");
    const isSound = id !== "" && Object.hasOwn(levels, level) && sentence.endsWith(".") && rest.length === 0;
    if (!isSound) throw new Error(`${file}:${at + 1} is not "id, level, sentence." between tabs`);
    if (seen.has(id)) throw new Error(`${file}:${at + 1} names ${id} a second time`);
    seen.add(id);
    found.push({ id, level, sentence, section });
  }
  return found;
}
