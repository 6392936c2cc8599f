import fs from "node:fs";
import path from "node:path";
import { type Count, isAsked, isFlagged } from "./approval.ts";

export interface FirstSight {
  readonly classes: ReadonlyMap<string, { readonly open: Count; readonly apart: Count }>;
  /** Every other line of each set is one that nobody looks at: what the rules learn from the others shows there. */
  readonly open: Count;
  readonly apart: Count;
  readonly missed: readonly string[];
  /** `asked`: also where a sandbox holds them. */
  readonly everyday: { readonly total: number; readonly flagged: readonly string[]; readonly asked: readonly string[] };
}

const folder = path.join(import.meta.dirname, "..", "fixtures", "approval", "first-sight");

/** The sets there are, by their numbers. */
export function firstSightSets(): readonly string[] {
  return fs
    .readdirSync(folder)
    .flatMap((name) => /^set-(\d+)\.txt$/.exec(name)?.slice(1) ?? [])
    .sort();
}

/** A set of hostile lines with their classes and one of everyday lines, both written in one go before they were judged. */
export function firstSight(set: string): FirstSight {
  const classes = new Map<string, { open: Count; apart: Count }>();
  const missed: string[] = [];
  let open = none;
  let apart = none;
  for (const [index, text] of linesOf(`set-${set}.txt`).entries()) {
    const at = text.indexOf("\t");
    const name = text.slice(0, at);
    const line = text.slice(at + 1);
    const isCaught = isFlagged(line);
    const count = classes.get(name) ?? { open: none, apart: none };
    if (index % 2 === 0) {
      open = plus(open, isCaught);
      classes.set(name, { ...count, open: plus(count.open, isCaught) });
      if (!isCaught) missed.push(text);
    } else {
      apart = plus(apart, isCaught);
      classes.set(name, { ...count, apart: plus(count.apart, isCaught) });
    }
  }
  const everyday = linesOf(`everyday-${set}.txt`);
  return {
    classes,
    open,
    apart,
    missed,
    everyday: { total: everyday.length, flagged: everyday.filter(isFlagged), asked: everyday.filter(isAsked) },
  };
}

const none: Count = { caught: 0, total: 0 };
const plus = ({ caught, total }: Count, isCaught: boolean): Count => ({
  caught: caught + (isCaught ? 1 : 0),
  total: total + 1,
});

/** One command per line; `␤` stands for a line break. */
function linesOf(name: string): readonly string[] {
  const file = path.join(folder, name);
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll("␤", "\n"));
}
