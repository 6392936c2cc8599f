import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig, valueAt } from "#config";
import { HermesHome } from "#foundation/files/paths";
import { runCli, temporaryHome } from "./testing.ts";

let location: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true });
});
afterEach(() => location.remove());

const ansi = "\u001b[";

describe("what a command writes", () => {
  it("is its result on stdout; warnings and errors are on stderr [20:R8.4]", async () => {
    writeFileSync(path.join(location.home, "config.yaml"), "compresion:\n  enabled: true\n");
    const list = await runCli(["sessions", "list"], { home: location.home });
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining("no sessions yet") });
    const shown = await runCli(["config", "get", "timezone"], { home: location.home });
    expect(shown.stdout).not.toContain("compresion");
    expect(shown.stderr).toContain("compression");
    const failed = await runCli(["sessions", "show", "nosuch"], { home: location.home });
    expect(failed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("nosuch") });
  });

  it.each([
    ...["sessions list", "sessions stats", "sessions search walnuts", "rollback list", "insights", "logs", "dump"],
    ...["config show", "config get timezone", "config path", "config check", "config explain timezone"],
    ...["auth list", "auth status openrouter", "auth explain", "fallback list", "profile list", "profile show default"],
    ...["tools list", "skills list", "agents list", "plugins list", "hooks list", "memory status", "mcp list"],
    ...[
      "cron list",
      "cron status",
      "gateway status",
      "pairing list",
      "trust list",
      "status",
      "doctor --offline",
      "version",
    ],
  ])(
    "of hermes %s is one document with a version and snake_case names when that is asked for [20:R8.5]",
    async (line) => {
      const run = await runCli([...line.split(" "), "--json"], { home: location.home });
      const document = JSON.parse(run.stdout) as Record<string, unknown>;
      expect(document).toMatchObject({ schema_version: 1 });
      expect(Object.keys(document).filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    },
  );

  it.each([
    ["at a terminal", { typed: [], env: { NO_COLOR: "" } }, [], true],
    ["at a terminal with NO_COLOR", { typed: [], env: { NO_COLOR: "1" } }, [], false],
    ["at a terminal with --no-color", { typed: [], env: { NO_COLOR: "" } }, ["--no-color"], false],
    ["into a pipe", { env: { NO_COLOR: "" } }, [], false],
  ] as const)("is coloured %s or not as it should be [20:R8.4]", async (_where, options, flags, isColoured) => {
    const run = await runCli(["tools", "list", ...flags], { home: location.home, ...options });
    expect(run.code).toBe(0);
    expect((run.stdout + run.stderr).includes(ansi)).toBe(isColoured);
  });
});

describe("a setting that nobody wrote", () => {
  it.each([
    ["delegation.max_iterations", 50],
    ["display.streaming", true],
    ["terminal.timeout", 180],
    ["agent.max_turns", 90],
  ])("has one value for every surface: %s [20:R0.5] [20:A7.7] [10:D16]", async (key, value) => {
    const { stdout } = await runCli(["config", "get", key, "--json"], { home: location.home });
    expect(JSON.parse(stdout)).toMatchObject({ value });
    const { config } = await loadConfig({ home: new HermesHome(location.home), env: { HERMES_HOME: location.home } });
    expect(valueAt(config, key.split("."))).toBe(value);
  });
});
