import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findExecutable } from "#foundation/process/platform";
import { pathWithout } from "./support/path-without.ts";
import { Stage } from "./support/stage.ts";

const hasSandbox = process.platform === "linux" && findExecutable("bwrap", process.env) !== undefined;

const doors = [
  "a command",
  "a background process",
  "a pseudo-terminal",
  "a script of execute_code",
  "an MCP server",
  "a shell hook",
  "a command of a skill",
];

interface WallCheck {
  readonly section: string;
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly hint?: string;
}

async function wallOf(stage: Stage, env: Readonly<Record<string, string>> = {}): Promise<readonly WallCheck[]> {
  const { stdout } = await stage.run(["doctor", "--security", "--offline", "--json"], { env });
  const { checks } = JSON.parse(stdout) as { checks: readonly WallCheck[] };
  return checks.filter(({ section }) => section === "The wall");
}

describe("hermes doctor --security", () => {
  it.skipIf(!hasSandbox)("tries each promise of the wall, and all of them through every door", async () => {
    await using stage = await Stage.open({ env: "OPENROUTER_API_KEY=sk-or-v1-0123456789abcdef\n" });
    const checks = await wallOf(stage, { GITHUB_TOKEN: "ghp_0123456789abcdefghijklmnopqrstuvwxyz" });
    expect(checks.filter(({ state }) => state !== "ok").map(({ name, detail }) => [name, detail])).toEqual([]);
    const names = checks.map(({ name }) => name);
    for (const door of doors) expect(names).toContain(`${door} is held`);
    expect(names).toContain("file tools are held");
    expect(checks.find(({ name }) => name === "an MCP server is held")?.detail).toContain("a secret was not read");
    // What it tried with is gone.
    const left = [...(await readdir(stage.work)), ...(await readdir(path.dirname(stage.work)))];
    expect(left.filter((name) => name.includes("wall-test"))).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")(
    "without a sandbox, tries that every way to run a program is refused",
    async () => {
      await using stage = await Stage.open();
      const bin = await pathWithout("bwrap", path.join(stage.home, "bin"));
      const checks = await wallOf(stage, { PATH: bin });
      expect(checks.map(({ name, state }) => [name, state])).toEqual([
        ["sandbox", "failed"],
        ...["a command", "a background process", "a pseudo-terminal", "a script of execute_code"].map((door) => [
          `${door} is refused where nobody can be asked`,
          "ok",
        ]),
        ["file tools are held", "ok"],
      ]);
      expect(checks[1]?.detail).toBe("3 attempts, none was run");
      const left = [...(await readdir(stage.work)), ...(await readdir(path.dirname(stage.work)))];
      expect(left.filter((name) => name.includes("wall-test"))).toEqual([]);
    },
  );

  it("where the sandbox is switched off, says how to get it back and that file tools are held", async () => {
    await using stage = await Stage.open({ config: "terminal: {sandbox: off}\n" });
    const checks = await wallOf(stage);
    expect(checks.map(({ name, state }) => [name, state])).toEqual([
      ["sandbox", "failed"],
      ["file tools are held", "ok"],
    ]);
    expect(checks[0]?.hint).toBe("hermes config set terminal.sandbox auto");
  });
});
