import fs from "node:fs";
import path from "node:path";
import { detect } from "#tools";

export interface ApprovalReport {
  readonly benign: number;
  readonly benignFlagged: readonly string[];
  readonly hostile: number;
  readonly missed: readonly string[];
  /** Caught and total by category. */
  readonly categories: ReadonlyMap<string, readonly [caught: number, total: number]>;
}

const folder = path.join(import.meta.dirname, "..", "fixtures", "approval");
const place = {
  cwd: "/home/me/work",
  home: "/home/me",
  hermesHome: "/home/me/.hermes",
  tempDirs: ["/tmp"],
  workspace: "/home/me/work",
};

/** Judges a corpus of everyday and of destructive commands, disguised in many ways. */
export function proveApproval(): ApprovalReport {
  const benign = linesOf("benign.txt");
  const hostile = linesOf("hostile.txt").map((line) => {
    const [category = "", command = ""] = line.split("\t");
    return { category, command };
  });
  const categories = new Map<string, [number, number]>();
  const missed: string[] = [];
  for (const { category, command } of hostile) {
    const counts = categories.get(category) ?? [0, 0];
    categories.set(category, counts);
    counts[1] += 1;
    if (isFlagged(command)) counts[0] += 1;
    else missed.push(command);
  }
  return {
    benign: benign.length,
    benignFlagged: benign.filter(isFlagged),
    hostile: hostile.length,
    missed,
    categories,
  };
}

export function isFlagged(command: string): boolean {
  const { hardline, findings } = detect(command, place);
  return hardline !== undefined || findings.length > 0;
}

/** One command per line; `\n` and `\uXXXX` stand for what they say. */
function linesOf(name: string): readonly string[] {
  return fs
    .readFileSync(path.join(folder, name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) =>
      line
        .replace(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replace(/\\n(?=EOT|rm |import|DROP|A=1|mkfs|#)/g, "\n"),
    );
}
