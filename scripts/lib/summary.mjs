/**
 * The closing line of a test run, from the runner's own report. A file that broke before its tests, a
 * failed gate, and a runner that failed outside any test each count as a failure.
 * @returns {{ line: string, reasons: string[], exitCode: number }}
 */
export function summarize(report, { runnerCode, failedGates }) {
  if (report === undefined) {
    return { line: "0 passed, 1 failed", reasons: ["The test runner wrote no report."], exitCode: 1 };
  }
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  );
  const reasons = [
    ...broken.map((file) => `Did not run to its end: ${file.name}`),
    ...failedGates.map((gate) => `Gate failed: ${gate}`),
  ];
  let failed = report.numFailedTests + broken.length + failedGates.length;
  if (runnerCode !== 0 && failed === 0) {
    failed = 1;
    reasons.push("The runner failed outside any test; see its output above.");
  }
  const skipped = report.numPendingTests + report.numTodoTests;
  const line = `${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  return { line, reasons, exitCode: failed === 0 && report.numPassedTests > 0 ? 0 : 1 };
}
