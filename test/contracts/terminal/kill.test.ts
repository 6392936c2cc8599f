import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Short; `npm run prove:terminals` kills fifty times on each kind. */
it("leaves nothing of a Hermes that was killed, and what was kept is whole [30:4.5] [30:4.6]", async () => {
  const args = [
    "--conditions=hermes-source",
    "--import",
    "tsx",
    "scripts/prove-terminals.ts",
    "2",
    String(Date.now() % 10_000),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 110_000 });
  expect(stdout).toMatch(/docker: (?:2 kills, 0 with something left|left out)/);
  expect(stdout).toMatch(/ssh: (?:2 kills, 0 with something left|left out)/);
}, 120_000);
