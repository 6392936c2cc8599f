import { describe, expect, it } from "vitest";
// @ts-expect-error plain script without types: it runs before anything is installed
import { summarize } from "./summary.mjs";

const report = (changes: object = {}) => ({
  numPassedTests: 10,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  ...changes,
});
const fine = { runnerCode: 0, failedGates: [] };

describe("the closing line of a test run", () => {
  it("counts what the runner reported", () => {
    expect(summarize(report({ numPendingTests: 2 }), fine)).toEqual({
      line: "10 passed, 0 failed, 2 skipped",
      reasons: [],
      exitCode: 0,
    });
    expect(summarize(report({ numFailedTests: 3 }), { ...fine, runnerCode: 1 }).line).toBe("10 passed, 3 failed");
  });

  it("counts a failed gate, a file that broke and an error outside any test", () => {
    expect(summarize(report(), { runnerCode: 0, failedGates: ["types"] })).toMatchObject({
      line: "10 passed, 1 failed",
      exitCode: 1,
    });
    const broken = [{ name: "x.test.ts", status: "failed", assertionResults: [] }];
    expect(summarize(report({ testResults: broken }), { ...fine, runnerCode: 1 }).line).toBe("10 passed, 1 failed");
    expect(summarize(report(), { ...fine, runnerCode: 1 })).toMatchObject({ line: "10 passed, 1 failed", exitCode: 1 });
  });

  it("does not call a run without tests or without a report a success", () => {
    expect(summarize(report({ numPassedTests: 0 }), fine).exitCode).toBe(1);
    expect(summarize(undefined, { ...fine, runnerCode: 1 })).toMatchObject({ line: "0 passed, 1 failed", exitCode: 1 });
  });
});
