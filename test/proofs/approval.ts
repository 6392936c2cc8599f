import fs from "node:fs";
import path from "node:path";
import { detect, stillAsked } from "#tools/testing";
import { type Half, hostileLines } from "./approval-classes.ts";

/** Caught and total of one class. */
export interface Count {
  readonly caught: number;
  readonly total: number;
}

export interface ApprovalReport {
  /** Hand-written hostile commands that were not caught. */
  readonly missed: readonly string[];
  /** Hand-written hostile commands by category. */
  readonly categories: ReadonlyMap<string, Count>;
  /** Hand-written lines kept apart, by category; the misses of a random half were looked at once. Not all of them do harm to everybody: some only deserve a look. */
  readonly unseen: ReadonlyMap<string, Count>;
  /** What an agent does all day, and which of it asks. */
  readonly agentWork: { readonly total: number; readonly flagged: readonly string[] };
  readonly halves: Readonly<Record<Half, HalfReport>>;
  readonly medianMs: number;
}

export interface HalfReport {
  /** Generated hostile lines by class: the plain commands, and those in disguises and carriers. */
  readonly classes: ReadonlyMap<string, { readonly plain: Count; readonly hidden: Count }>;
  readonly plain: Count;
  readonly hidden: Count;
  readonly missed: readonly string[];
  readonly benign: number;
  readonly benignFlagged: readonly string[];
}

const folder = path.join(import.meta.dirname, "..", "fixtures", "approval");
const location = {
  cwd: "/home/me/work",
  home: "/home/me",
  hermesHome: "/home/me/.hermes",
  tempDirs: ["/tmp"],
  workspace: "/home/me/work",
};

/** Judges hand-written and generated commands, hostile and everyday, in the half the rules were written with and the one kept apart. */
export function proveApproval({
  seed,
  perCommand,
}: {
  readonly seed: number;
  readonly perCommand: number;
}): ApprovalReport {
  const hostile = linesOf("hostile.txt").map(categorized);
  const times: number[] = [];
  const judge = (line: string): boolean => {
    const start = performance.now();
    const isFound = isFlagged(line);
    times.push(performance.now() - start);
    return isFound;
  };
  const categories = new Map<string, Count>();
  const missed = hostile.filter(({ className, line }) => !counted(categories, className, judge(line)));
  const unseen = new Map<string, Count>();
  for (const { className, line } of linesOf("hostile-held-out.txt").map(categorized))
    counted(unseen, className, judge(line));
  const work = linesOf("benign-agent.txt");
  const agentWork = { total: work.length, flagged: work.filter(judge) };
  const half = (name: Half, file: string): HalfReport => {
    const classes = new Map<string, { plain: Count; hidden: Count }>();
    const escaped: string[] = [];
    for (const { className, line, isPlain } of hostileLines(name, { seed, perCommand })) {
      const before = classes.get(className) ?? { plain: none, hidden: none };
      const isCaught = judge(line);
      if (!isCaught) escaped.push(line);
      classes.set(
        className,
        isPlain
          ? { ...before, plain: plus(before.plain, isCaught) }
          : { ...before, hidden: plus(before.hidden, isCaught) },
      );
    }
    const benign = linesOf(file);
    const sum = (kind: "plain" | "hidden"): Count =>
      [...classes.values()].reduce(
        (all, one) => ({ caught: all.caught + one[kind].caught, total: all.total + one[kind].total }),
        none,
      );
    return {
      classes,
      plain: sum("plain"),
      hidden: sum("hidden"),
      missed: escaped,
      benign: benign.length,
      benignFlagged: benign.filter(judge),
    };
  };
  const halves = { known: half("known", "benign.txt"), "held-out": half("held-out", "benign-held-out.txt") };
  times.sort((left, right) => left - right);
  return {
    missed: missed.map(({ line }) => line),
    categories,
    unseen,
    agentWork,
    halves,
    medianMs: times[times.length >> 1] ?? 0,
  };
}

function categorized(line: string): { readonly className: string; readonly line: string } {
  const at = line.indexOf("\t");
  return { className: line.slice(0, at), line: line.slice(at + 1) };
}

const none: Count = { caught: 0, total: 0 };
const plus = ({ caught, total }: Count, isCaught: boolean): Count => ({
  caught: caught + (isCaught ? 1 : 0),
  total: total + 1,
});

function counted(counts: Map<string, Count>, name: string, isCaught: boolean): boolean {
  counts.set(name, plus(counts.get(name) ?? none, isCaught));
  return isCaught;
}

/** Whether somebody is asked where a sandbox holds the command and the workspace was kept. */
export function isAsked(command: string): boolean {
  const { hardline, findings } = detect(command, location);
  if (hardline !== undefined) return true;
  return stillAsked(command, findings, { location, holding: { asksForHosts: true } }).length > 0;
}

export function isFlagged(command: string): boolean {
  const { hardline, findings } = detect(command, location);
  return hardline !== undefined || findings.length > 0;
}

/** One command per line; `␤` and `\uXXXX` stand for what they say. */
function linesOf(name: string): readonly string[] {
  return fs
    .readFileSync(path.join(folder, name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) =>
      line
        .replace(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replaceAll("␤", "\n"),
    );
}
