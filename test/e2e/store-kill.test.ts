import { expect, it } from "vitest";
import { proveStore } from "../../scripts/prove-store.ts";

it("sixty kills of eight writers lose no acknowledged message and double none [10:STORE-1] [10:STORE-4] [10:D60] [10:A12.3]", async () => {
  const report = await proveStore({ kills: 60, signal: new AbortController().signal });
  expect(report).toMatchObject({ lost: 0, doubled: 0, problems: [] });
  expect(report.kills).toBeGreaterThanOrEqual(60);
  expect(report.acknowledged).toBeGreaterThan(200);
  expect(report.stored).toBeGreaterThanOrEqual(200);
}, 120_000);
