import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { proveCompaction, type SummariserMode } from "../test/proofs/compaction.ts";

const turns = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 32));
const facts = 40;
const modes: readonly SummariserMode[] = ["works", "fails-every-other-time", "never-works"];
const folder = fs.mkdtempSync(path.join(tmpdir(), "hermes-prove-compaction-"));
const columns = [
  "summariser",
  "compr.",
  "extracts",
  "failed",
  "rules kept",
  "request",
  "A done",
  "A redo",
  "lost",
  "unreadable",
  "tokens",
];
const widths = [24, 7, 9, 7, 11, 9, 7, 7, 10, 12, 16];
const row = (cells: readonly unknown[]): string =>
  cells.map((cell, index) => String(cell).padEnd(widths[index] ?? 8)).join("");
let isGood = true;
try {
  console.log(`seed ${seed}, ${turns} turns, ${facts} planted rules\n`);
  console.log(row(columns));
  for (const mode of modes)
    for (const compressions of [1, 3, 5]) {
      const report = await proveCompaction({ folder, turns, facts, compressions, mode, seed });
      const isRight =
        report.compressions === compressions &&
        report.factsKept === facts &&
        report.isRequestVerbatim &&
        report.mentionsFinished &&
        report.restarts + report.lostMessages + report.unreadable === 0;
      isGood &&= isRight;
      console.log(
        row([
          mode,
          report.compressions,
          report.extracts,
          report.failedSummaries,
          `${report.factsKept}/${report.facts}`,
          report.isRequestVerbatim ? "verbatim" : "CHANGED",
          report.mentionsFinished ? "said" : "no",
          report.restarts,
          `${report.lostMessages}/${report.messages}`,
          `${report.unreadable}/${report.elided}`,
          `${report.tokensBefore}->${report.tokensAfter}`,
        ]),
      );
    }
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isGood ? 0 : 1;
