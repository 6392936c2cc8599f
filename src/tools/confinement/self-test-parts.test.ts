import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { findExecutable } from "#foundation/process/platform";
import { toolStage } from "../testing/tool-stage.ts";

const hasSandbox = findExecutable("bwrap", process.env) !== undefined && process.platform === "linux";

describe.skipIf(!hasSandbox)("the wall, tried for real", () => {
  it("holds every line here", async () => {
    await using stage = await toolStage();
    const home = path.dirname(stage.cwd);
    await mkdir(path.join(home, ".ssh"));
    await writeFile(path.join(home, ".ssh", "id_ed25519"), "key");
    const toolbox = await stage.open();
    const lines = await toolbox.testWall(stage.cwd, never);
    expect(lines.filter(({ state }) => state !== "holds")).toEqual([]);
    expect(lines).toHaveLength(10);
  });

  it("says so where the network is open", async () => {
    await using stage = await toolStage({ "config.yaml": "terminal: {network: open}\n" });
    const toolbox = await stage.open();
    const lines = await toolbox.testWall(stage.cwd, never);
    expect(lines.filter(({ state }) => state === "broken").map(({ name }) => name)).toEqual(["the network asks"]);
  });
});

describe("without a sandbox", () => {
  it("the one line about it is broken", async () => {
    await using stage = await toolStage({ "config.yaml": "terminal: {sandbox: off}\n" });
    const toolbox = await stage.open();
    expect(await toolbox.testWall(stage.cwd, never)).toEqual([
      { name: "sandbox", state: "broken", detail: expect.stringContaining("switched off") },
    ]);
  });
});
