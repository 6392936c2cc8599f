import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import { toolStage } from "../../testing/tool-stage.ts";

const noMore = () => [];
const hasSandbox = findExecutable("bwrap", process.env) !== undefined && process.platform === "linux";

describe.skipIf(!hasSandbox)("the wall, tried for real", () => {
  it("holds every line here", async () => {
    await using stage = await toolStage();
    const home = path.dirname(stage.cwd);
    await mkdir(path.join(home, ".ssh"));
    await writeFile(path.join(home, ".ssh", "id_ed25519"), "key");
    const toolbox = await stage.open();
    const lines = await toolbox.testWall(stage.cwd, noMore, never);
    expect(lines.filter(({ state }) => state !== "holds")).toEqual([]);
    expect(lines.map(({ name }) => name).slice(10)).toEqual([
      "a command is held",
      "a background process is held",
      "a pseudo-terminal is held",
      "a script of execute_code is held",
      "an MCP server is held",
      "file tools are held",
    ]);
  });

  it("finds the hole where a program is not held", async () => {
    await using stage = await toolStage();
    const toolbox = await stage.open();
    const hole = {
      name: "a hole",
      enter: async (command: string) => {
        await runProcess("/bin/bash", ["-c", command], { cwd: stage.cwd, signal: never });
        return undefined;
      },
    };
    const idle = { name: "a door that is shut", enter: () => Promise.resolve("it is shut") };
    const lines = await toolbox.testWall(stage.cwd, () => [hole, idle], never);
    expect(lines.filter(({ state }) => state !== "holds")).toEqual([
      {
        name: "a hole is held",
        state: "broken",
        detail:
          "it read a secret of the project, it wrote outside, it could signal Hermes, it reached a server on this machine",
      },
      { name: "a door that is shut is held", state: "not tried", detail: "it is shut" },
    ]);
    expect((await readdir(stage.cwd)).filter((name) => name.includes("wall-test"))).toEqual([]);
    expect((await readdir(path.dirname(stage.cwd))).filter((name) => name.includes("wall-test"))).toEqual([]);
  });

  it("says so where the network is open", async () => {
    await using stage = await toolStage({ "config.yaml": "terminal: {network: open}\n" });
    const toolbox = await stage.open();
    const lines = await toolbox.testWall(stage.cwd, noMore, never);
    expect(lines.filter(({ state }) => state === "broken").map(({ name }) => name)).toEqual(["the network asks"]);
  });
});

describe("without a sandbox", () => {
  it("the line about it is broken, and file tools are tried", async () => {
    await using stage = await toolStage({ "config.yaml": "terminal: {sandbox: off}\n" });
    const toolbox = await stage.open();
    expect(await toolbox.testWall(stage.cwd, noMore, never)).toEqual([
      { name: "sandbox", state: "broken", detail: expect.stringContaining("switched off") },
      { name: "file tools are held", state: "holds", detail: expect.any(String) },
    ]);
  });
});
