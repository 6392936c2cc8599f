import { proveWindow } from "../test/proofs/windows.ts";

const turns = Number(process.argv[2] ?? 60);
const windows = [8_192, 16_384, 32_768, 131_072];
const columns = [
  "alphabet",
  "window",
  "fixed",
  "done",
  "summaries",
  "prunings",
  "per turn",
  "in a row",
  "saved",
  "least free",
  "read again/turn",
];
const widths = [10, 9, 7, 8, 11, 10, 10, 10, 7, 12, 16];
const row = (cells: readonly unknown[]): string =>
  cells.map((cell, index) => String(cell).padEnd(widths[index] ?? 8)).join("");

let isGood = true;
console.log(`${turns} turns, tokens as the fake server counts them\n`);
console.log(row(columns));
for (const alphabet of ["latin", "cyrillic"] as const)
  for (const contextWindow of windows) {
    const report = await proveWindow({ contextWindow, turns, alphabet });
    isGood &&=
      report.completed === turns &&
      report.leastFreePct >= 33 &&
      report.longestRun <= 3 &&
      report.summaries <= turns / 2;
    console.log(
      row([
        alphabet,
        contextWindow,
        report.fixedTokens,
        `${report.completed}/${turns}`,
        report.summaries,
        report.prunings,
        ((report.summaries + report.prunings) / turns).toFixed(2),
        report.longestRun,
        `${report.savedPct} %`,
        `${report.leastFreePct} %`,
        report.evaluatedAgain,
      ]),
    );
  }
process.exitCode = isGood ? 0 : 1;
