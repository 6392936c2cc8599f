import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { combineScanners, type ExternalScannerOptions, externalScanner } from "./external-scanner.ts";
import { scanCommand } from "./scanner.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-scanner-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const { signal } = new AbortController();

async function scanner(script: string, changes: Partial<ExternalScannerOptions> = {}) {
  const program = path.join(folder, "tirith");
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  const logger = memoryLogger();
  const env = { PATH: process.env["PATH"] ?? "" };
  const scan = externalScanner({ program, timeoutMs: 5_000, failOpen: true, env: () => env, logger, ...changes });
  return { scan, logger };
}

describe("a command scanner of its own", () => {
  it("[30:5.8] is given the command as one argument, and exit 0 says nothing", async () => {
    const { scan } = await scanner(`for a in "$@"; do echo "[$a]"; done > "${folder}/args"; exit 0`);
    expect(await scan("echo $(id); ls", signal)).toEqual([]);
    expect(await readFile(path.join(folder, "args"), "utf8")).toBe(
      "[check]\n[--json]\n[--non-interactive]\n[--shell]\n[posix]\n[--]\n[echo $(id); ls]\n",
    );
  });

  it("[30:5.8] both its warnings and its blocks are findings that can be approved", async () => {
    const report = JSON.stringify({
      findings: [{ rule_id: "punycode", severity: "high", title: "Odd host", description: "looks like another" }, 7],
      summary: "one",
    });
    for (const code of [1, 2]) {
      const { scan } = await scanner(`echo '${report}'; exit ${code}`);
      expect(await scan("curl x", signal)).toEqual([
        {
          key: "tirith:punycode",
          description: "Odd host: looks like another (high)",
          severity: "ask",
          source: "scanner",
        },
      ]);
    }
    const { scan } = await scanner("echo nonsense; exit 1");
    expect(await scan("x", signal)).toMatchObject([{ key: "tirith:block" }]);
  });

  it("[30:5.8] at most fifty findings, each of bounded length and without control characters", async () => {
    const many = Array.from({ length: 80 }, (_, n) => ({ rule_id: `r${n}`, title: `\u001b[31m${"x".repeat(900)}` }));
    const { scan } = await scanner(`cat <<'E'\n${JSON.stringify({ findings: many })}\nE\nexit 2`);
    const found = await scan("x", signal);
    expect(found).toHaveLength(50);
    expect(found[0]?.description.length).toBeLessThanOrEqual(501);
    expect(found[0]?.description).not.toContain("\u001b");
  });

  it("[30:5.8] a scanner that fails or takes too long lets commands pass, or asks, as it was set", async () => {
    const open = await scanner("sleep 20", { timeoutMs: 100 });
    expect(await open.scan("x", signal)).toEqual([]);
    expect(open.logger.lines.map((line) => line.level)).toEqual(["warn"]);
    const closed = await scanner("exit 77", { failOpen: false });
    expect(await closed.scan("x", signal)).toMatchObject([{ key: "tirith:unavailable" }]);
    const missing = await scanner("", { program: path.join(folder, "nothing") });
    expect(await missing.scan("x", signal)).toEqual([]);
    expect(missing.logger.lines.every((line) => line.level === "debug")).toBe(true);
    const needed = await scanner("", { program: path.join(folder, "nothing"), failOpen: false });
    expect(await needed.scan("x", signal)).toMatchObject([{ key: "tirith:unavailable" }]);
  });

  it("[30:5.8] works beside the built-in scanner", async () => {
    const { scan } = await scanner("echo '{}'; exit 2");
    const both = combineScanners((command) => Promise.resolve(scanCommand(command)), scan);
    expect((await both("LD_PRELOAD=x ls", signal)).map((one) => one.key)).toEqual([
      "scan:environment-manipulation",
      "tirith:warn",
    ]);
  });
});
