import { expect, it } from "vitest";
import { provePrefix } from "./prefix.ts";

it("sixty steps with notes, errors, hints, compression, resumes and another model only ever extend the request before [10:PROMPT-19] [10:A3.9]", async () => {
  const report = await provePrefix();
  expect(report.failed).toEqual([]);
  expect(report.unexplained).toEqual([]);
  expect(report).toMatchObject({ steps: 60, resumes: 2, modelChanges: 2 });
  expect(report.compressions).toBeGreaterThanOrEqual(1);
  expect(report.breaks.length).toBeGreaterThanOrEqual(1);
  expect(report.keptShare).toBeGreaterThanOrEqual(0.98);
  expect(report.keptShareOnWire).toBeGreaterThanOrEqual(0.98);
  expect(report.costRatio).toBeLessThanOrEqual(1.15);
});
