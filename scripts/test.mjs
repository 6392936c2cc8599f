// `npm test`: installs, builds, runs the gates and every test, and ends with a line that can be trusted:
// the counts are read from the runner's own report, and a failed gate counts as a failure.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runGates } from "./check.mjs";
import { ensureBuilt, ensureInstalled, nodeTool } from "./lib/run.mjs";

await ensureInstalled();
await ensureBuilt();
const failedGates = await runGates();
const folder = mkdtempSync(path.join(tmpdir(), "hermes-report-"));
try {
  const reportFile = path.join(folder, "report.json");
  const only = process.argv.slice(2);
  const code = await nodeTool(
    "vitest/vitest.mjs",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
    ...only,
  );
  process.exitCode = summarize(reportFile, code);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function summarize(reportFile, code) {
  if (!existsSync(reportFile)) {
    console.error("The test runner wrote no report; treat this run as failed.");
    console.log("0 passed, 1 failed");
    return 1;
  }
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  );
  for (const file of brokenFiles) console.error(`Did not run to its end: ${file.name}`);
  for (const gate of failedGates) console.error(`Gate failed: ${gate}`);
  const skipped = report.numPendingTests + report.numTodoTests;
  const failed = report.numFailedTests + brokenFiles.length + failedGates.length;
  // An error outside any test (an unhandled rejection) fails the run without failing a test.
  const uncounted = code !== 0 && failed === 0 ? 1 : 0;
  if (uncounted > 0) console.error("The runner failed outside any test; see its output above.");
  const total = failed + uncounted;
  console.log(`${report.numPassedTests} passed, ${total} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return total === 0 && report.numPassedTests > 0 ? 0 : 1;
}
