import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { proveWrites, seeded } from "./writes.ts";

it("writes exactly what was meant, for hundreds of random payloads through streamed calls", async () => {
  const folder = fs.mkdtempSync(path.join(tmpdir(), "hermes-writes-"));
  try {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const report = await proveWrites(folder, 300, seeded(seed));
    expect({ seed, wrong: report.wrong, answered: report.exact + report.explicitErrors }).toEqual({
      seed,
      wrong: [],
      answered: 300,
    });
    expect(report.explicitErrors).toBe(0);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
