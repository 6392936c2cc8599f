import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "#config";
import { HermesHome } from "#foundation/files/paths";
import { scannerWarning } from "./scanner-warning.ts";
import { tipOfTheDay } from "./tips.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hermes-start-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function warning(config: string): Promise<string | undefined> {
  writeFileSync(path.join(folder, "config.yaml"), config);
  const env = { PATH: folder };
  return scannerWarning(await loadConfig({ home: new HermesHome(folder), env, cwd: folder }), env);
}

describe("what is said at the start", () => {
  it("a scanner that was asked for and is not installed, but not one nobody has heard of [20:R10.5]", async () => {
    expect(await warning("model: x\n")).toBeUndefined();
    expect(await warning("security:\n  tirith_enabled: false\n")).toBeUndefined();
    expect(await warning("security:\n  tirith_enabled: true\n")).toContain("tirith is not installed");
    expect(await warning("security:\n  tirith_fail_open: false\n")).toContain("Every command is asked about");
    const program = path.join(folder, "tirith");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    expect(await warning("security:\n  tirith_enabled: true\n")).toBeUndefined();
  });

  it("another tip every day [20:R10.4]", () => {
    const days = Array.from({ length: 12 }, (_, day) => tipOfTheDay(day * 86_400_000 + 1));
    expect(new Set(days).size).toBe(12);
  });
});
