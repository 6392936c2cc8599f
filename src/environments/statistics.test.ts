import { expect, it } from "vitest";
import { passAt } from "./statistics.ts";

it.each([
  [5, 2, 1, 0.4],
  [5, 2, 3, 0.9],
  [5, 2, 4, 1],
  [3, 0, 2, 0],
])("of %s attempts %s pass: one of %s passes with %s [50:9.9.11]", (tries, passed, k, likely) => {
  expect(passAt({ tries, passed }, k)).toBeCloseTo(likely, 10);
});
