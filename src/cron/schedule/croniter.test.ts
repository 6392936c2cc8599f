import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { nextRun } from "./next-run.ts";
import { Zone } from "./zone.ts";

interface Fixture {
  readonly startMinutes: number;
  /** An expression, and its next three times in minutes since 1970, UTC. */
  readonly rows: readonly (readonly [string, readonly number[]])[];
}

it("agrees with an independent implementation on 2,000 expressions [40:CRN-3]", async () => {
  const file = path.join(import.meta.dirname, "../../../test/fixtures/cron/croniter.json");
  const { startMinutes, rows } = JSON.parse(readFileSync(file, "utf8")) as Fixture;
  const zone = new Zone("UTC");
  const different: unknown[] = [];
  for (const [expr, expected] of rows) {
    const found: number[] = [];
    let afterMs = startMinutes * 60_000;
    for (const _ of expected) {
      afterMs =
        (await nextRun({ kind: "cron", expr, display: "" }, { afterMs, anchorMs: afterMs, zone })) ?? Number.NaN;
      found.push(afterMs / 60_000);
    }
    if (found.join() !== expected.join()) different.push([expr, expected, found]);
  }
  expect([rows.length, different]).toEqual([2000, []]);
}, 60_000);
