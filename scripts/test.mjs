// `npm test`: installs, builds, runs the gates and every test, and ends with a line that can be trusted:
// the counts are read from the runner's own report, and a failed gate counts as a failure.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runGates } from "./check.mjs";
import { ensureBuilt, ensureInstalled, nodeTool, root } from "./lib/run.mjs";
import { summarize } from "./lib/summary.mjs";

await ensureInstalled();
await ensureBuilt();
const failedGates = await runGates();
const folder = mkdtempSync(path.join(tmpdir(), "hermes-report-"));
try {
  const file = path.join(folder, "report.json");
  const ours = path.join(root, "scripts", "lib", "run-reporter.mjs");
  const reporters = ["--reporter=default", `--reporter=${ours}`, "--reporter=json", `--outputFile.json=${file}`];
  process.env.HERMES_TEST_SECOND_TRY = "1";
  const runnerCode = await nodeTool("vitest/vitest.mjs", "run", ...reporters, ...process.argv.slice(2));
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  const summary = summarize(report, { runnerCode, failedGates });
  for (const reason of summary.reasons) console.error(reason);
  console.log(summary.line);
  process.exitCode = summary.exitCode;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
