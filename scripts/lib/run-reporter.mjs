// What the runner itself does not tell. A test run that stands still must say where and end; a build machine would otherwise wait for its own limit
// and print nothing. Tests have limits of their own; this is for what they do not cover: a worker that spins,
// or one that does not leave.
import { readdirSync, readFileSync } from "node:fs";

const stallMinutes = Number(process.env.HERMES_TEST_STALL_MINUTES ?? 8);

// biome-ignore lint/style/noDefaultExport: the runner takes a reporter by its default export.
export default class RunReporter {
  running = new Map();
  secondTries = [];
  skipped = [];
  timer = undefined;

  onTestRunStart() {
    this.note();
  }
  onTestModuleStart(module) {
    this.running.set(module.moduleId, "");
    this.note();
  }
  onTestCaseReady(test) {
    this.running.set(test.module.moduleId, test.fullName);
    this.note();
  }
  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky === true) this.secondTries.push(`${test.module.relativeModuleId} > ${test.fullName}`);
    if (test.result().state === "skipped")
      this.skipped.push(`${test.module.relativeModuleId} > ${test.fullName}: ${reasonOf(test)}`);
    this.note();
  }
  onTestModuleEnd(module) {
    this.running.delete(module.moduleId);
    this.note();
  }
  onTestRunEnd() {
    // Still armed, but no reason to stay: the last worker may refuse to leave after the last test.
    this.note();
    this.timer?.unref();
    for (const name of this.secondTries) console.error(`Passed only at its second try, to be looked into: ${name}`);
    for (const line of this.skipped) console.error(`Skipped: ${line}`);
  }

  note() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), stallMinutes * 60_000);
  }

  end() {
    console.error(`\nNo test began or ended for ${stallMinutes} minutes. Running:`);
    for (const [file, test] of this.running) console.error(`  ${file}${test === "" ? "" : ` > ${test}`}`);
    if (this.running.size === 0) console.error("  no test file: a worker does not leave, or the runner is stuck");
    for (const pid of children(process.pid)) process.kill(pid, "SIGKILL");
    process.exit(1);
  }
}

/** Why a test was skipped: its own words, else what its file or suite printed before (`skipIf` takes none). */
function reasonOf(test) {
  return test.result().note ?? "something it needs is not on this machine, see above";
}

/** The process ids below one, deepest first, so that none is adopted by another before its turn. */
function children(pid) {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .flatMap((name) => [...children(Number(name)), Number(name)]);
}

function parentOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    return -1; // It ended while we looked.
  }
}
