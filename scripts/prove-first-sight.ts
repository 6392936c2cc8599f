// How many lines of a set the detector flags: `node --conditions=hermes-source --import tsx scripts/prove-first-sight.ts <set> [--missed]`.
import { firstSight } from "../test/proofs/first-sight.ts";

const [set = "", flag] = process.argv.slice(2);
const report = firstSight(set);
const percent = (caught: number, total: number): string =>
  `${((100 * caught) / Math.max(1, total)).toFixed(1)} % (${caught} of ${total})`;
for (const [name, { open, apart }] of report.classes)
  console.log(`${name.padEnd(20)} ${percent(open.caught + apart.caught, open.total + apart.total)}`);
console.log(
  `hostile, all         ${percent(report.open.caught + report.apart.caught, report.open.total + report.apart.total)}`,
);
console.log(`the half looked at   ${percent(report.open.caught, report.open.total)}`);
console.log(`the half kept apart  ${percent(report.apart.caught, report.apart.total)}`);
console.log(`everyday             ${percent(report.everyday.flagged.length, report.everyday.total)}`);
console.log(`everyday, asked      ${percent(report.everyday.asked.length, report.everyday.total)}`);
if (flag === "--missed") for (const line of report.missed) console.log(`  missed: ${line}`);
for (const line of report.everyday.flagged) console.log(`  flagged though everyday: ${line}`);
