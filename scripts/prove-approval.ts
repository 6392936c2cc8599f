import { type Count, proveApproval } from "../test/proofs/approval.ts";
import { firstSight, firstSightSets } from "../test/proofs/first-sight.ts";

const showsMissed = process.argv.includes("--missed");
const report = proveApproval({ seed: 1, perCommand: 20 });
const percent = ({ caught, total }: Count): string =>
  `${((100 * caught) / Math.max(1, total)).toFixed(1).padStart(5)} % of ${String(total).padStart(5)}`;

const written = [...report.categories.values()].reduce((all, one) => ({
  caught: all.caught + one.caught,
  total: all.total + one.total,
}));
console.log(`hand-written hostile commands   ${percent(written)}`);
for (const command of report.missed) console.log(`  missed: ${JSON.stringify(command)}`);
console.log("\nhand-written, kept apart (the misses of a random half were looked at once)");
for (const [className, count] of report.unseen) console.log(`${className.padEnd(24)} ${percent(count)}`);
const { total, flagged } = report.agentWork;
console.log("\nwritten in one go and then judged, with what was mended since (half of each is never looked at)");
for (const set of firstSightSets()) {
  const { open, apart, everyday } = firstSight(set);
  const all = { caught: open.caught + apart.caught, total: open.total + apart.total };
  const flagged = percent({ caught: everyday.flagged.length, total: everyday.total });
  console.log(`set ${set.padEnd(20)} ${percent(all)}   kept apart ${percent(apart)}   everyday ${flagged}`);
}
console.log(`an agent's day, flagged  ${percent({ caught: flagged.length, total })}`);
let isGood = report.missed.length === 0;
for (const [name, half] of Object.entries(report.halves)) {
  console.log(`\n${name.padEnd(18)} plain             disguised, carried`);
  for (const [className, { plain, hidden }] of half.classes)
    console.log(`${className.padEnd(18)} ${percent(plain)}  ${percent(hidden)}`);
  console.log(`${"all".padEnd(18)} ${percent(half.plain)}  ${percent(half.hidden)}   (target over 95 %)`);
  console.log(
    `everyday flagged   ${percent({ caught: half.benignFlagged.length, total: half.benign })}   (target at most 2 %)`,
  );
  // What the held-out half misses is not shown by itself: rules are not to be written against it.
  if (showsMissed || name === "known") {
    for (const command of half.missed) console.log(`  missed: ${JSON.stringify(command)}`);
    for (const command of half.benignFlagged) console.log(`  flagged though everyday: ${JSON.stringify(command)}`);
  }
  const isCaught = [half.plain, half.hidden].every(({ caught, total }) => caught > 0.95 * total);
  isGood &&= isCaught && half.benignFlagged.length <= 0.02 * half.benign;
}
console.log(`\nmedian time per command ${report.medianMs.toFixed(3)} ms`);
process.exitCode = isGood ? 0 : 1;
