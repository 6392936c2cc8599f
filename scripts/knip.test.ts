import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");
const folder = mkdtempSync(path.join(tmpdir(), "hermes-knip-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("knip, as it is configured, names a file, an export and a package that nothing uses", () => {
  cpSync(path.join(root, "knip.json"), path.join(folder, "knip.json"));
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  mkdirSync(path.join(folder, "src/cli"), { recursive: true });
  writeFileSync(
    path.join(folder, "package.json"),
    '{ "name": "x", "type": "module", "dependencies": { "yaml": "2.9.1" } }',
  );
  writeFileSync(path.join(folder, "src/cli/main.ts"), 'import { used } from "./a.ts";\nused();');
  writeFileSync(path.join(folder, "src/cli/a.ts"), "export const used = () => 1;\nexport const unused = () => 2;");
  writeFileSync(path.join(folder, "src/cli/forgotten.ts"), "export const x = 1;");
  const knip = path.join(root, "node_modules/knip/bin/knip.js");
  const run = spawnSync(process.execPath, [knip, "--no-progress"], { cwd: folder, encoding: "utf8" });
  expect(run.status).toBe(1);
  expect(run.stdout).toContain("src/cli/forgotten.ts");
  expect(run.stdout).toMatch(/unused .*src\/cli\/a\.ts:2/);
  expect(run.stdout).toMatch(/yaml +package\.json/);
});
