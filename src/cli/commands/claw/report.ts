import type { Output } from "../../output/output.ts";
import { oneLine } from "../../output/table.ts";
import type { Area, StepResult } from "./step.ts";

const titles: Readonly<Record<Area, string>> = {
  character: "Character and instructions",
  notes: "Notes",
  skills: "Skills",
  settings: "Settings",
  credentials: "Credentials",
  other: "Everything else",
};

type Outcome = StepResult["outcome"];

const outcomes: readonly Outcome[] = ["taken", "archived", "skipped", "conflict", "failed"];
const planned: Readonly<Record<Outcome, string>> = {
  taken: "take",
  archived: "archive",
  skipped: "skip",
  conflict: "conflict",
  failed: "failed",
};

export function resultsDocument(results: readonly StepResult[]): Readonly<Record<string, unknown>> {
  return { counts: countsOf(results), items: results };
}

export function printResults(
  out: Output,
  results: readonly StepResult[],
  { from, isPlan }: { readonly from: string; readonly isPlan: boolean },
): void {
  out.heading(isPlan ? `What would be imported from ${from}` : `Imported from ${from}`);
  for (const [area, title] of Object.entries(titles)) {
    const rows = results.filter((one) => one.area === area);
    if (rows.length === 0) continue;
    out.line();
    out.heading(title);
    for (const row of rows) printRow(out, row, isPlan);
  }
  out.line();
  const counts = countsOf(results);
  out.line(
    outcomes
      .filter((outcome) => (counts[outcome] ?? 0) > 0)
      .map((outcome) => `${counts[outcome]} ${isPlan ? `to ${planned[outcome]}` : outcome}`)
      .join(", "),
  );
}

function printRow(out: Output, { item, outcome, detail }: StepResult, isPlan: boolean): void {
  const { style } = out;
  const paint = {
    taken: style.good,
    archived: style.accent,
    skipped: style.dim,
    conflict: style.caution,
    failed: style.bad,
  };
  const word = (isPlan ? planned[outcome] : outcome).padEnd(9);
  out.line(`  ${paint[outcome](word)} ${oneLine(item)}${detail === "" ? "" : style.dim(`  ${oneLine(detail)}`)}`);
}

function countsOf(results: readonly StepResult[]): Readonly<Partial<Record<Outcome, number>>> {
  return Object.fromEntries(
    outcomes.map((outcome) => [outcome, results.filter((one) => one.outcome === outcome).length]),
  );
}
