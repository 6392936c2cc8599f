import { proveApproval } from "../test/proofs/approval.ts";

const report = proveApproval();
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
console.log("category           caught");
for (const [category, [caught, total]] of report.categories) {
  console.log(`${category.padEnd(18)} ${String(caught).padStart(3)} of ${String(total).padStart(3)}`);
}
const caught = report.hostile - report.missed.length;
const flagged = caught + report.benignFlagged.length;
console.log(
  `\ndestructive and evasive commands  ${report.hostile}   recall ${percent(caught, report.hostile)} (target 100 %)`,
);
console.log(
  `benign commands                   ${report.benign}   flagged ${percent(report.benignFlagged.length, report.benign)} (target at most 2 %)`,
);
console.log(`precision                         ${percent(caught, flagged)}`);
for (const command of report.missed) console.log(`missed: ${JSON.stringify(command)}`);
for (const command of report.benignFlagged) console.log(`flagged though benign: ${JSON.stringify(command)}`);
process.exitCode = report.missed.length === 0 && report.benignFlagged.length <= 0.02 * report.benign ? 0 : 1;
