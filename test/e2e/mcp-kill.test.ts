import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const source = join(import.meta.dirname, "../../src/tools");

/** A program that opens one server that ignores both the end of its input and TERM, and then waits to be killed. */
const program = (pidFile: string) => `
import { Guardian } from ${JSON.stringify(join(source, "terminals/guardian.ts"))};
import { fakeSettings, mcpStage } from ${JSON.stringify(join(source, "mcp/testing.ts"))};
import { testScope } from ${JSON.stringify(join(source, "testing.ts"))};
import { silentLogger } from "#foundation/files/logger";
const guardian = new Guardian(silentLogger);
const stage = await mcpStage({ adoptProcess: (pid) => guardian.watch(pid), childEnv: guardian.mark });
const plan = { ignoreTerm: true, stayAfterInput: true, pidFile: ${JSON.stringify(pidFile)} };
await stage.open([fakeSettings("deaf", plan)]).ready(testScope(), new AbortController().signal);
console.log("ready", stage.home);
setInterval(() => undefined, 1000);
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("MCP servers after the program was killed", () => {
  it("are gone, also one that listens to nothing [30:MCP-03]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes-mcp-kill-"));
    const pidFile = join(folder, "pid");
    const flags = ["--import", "tsx", "--conditions=hermes-source", "--input-type=module"];
    const parent = spawn(process.execPath, [...flags, "-e", program(pidFile)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let home: string | undefined;
    try {
      home = await new Promise<string>((resolve, reject) => {
        parent.stdout.on("data", (chunk: Buffer) => {
          const match = /ready (\S+)/.exec(chunk.toString());
          if (match?.[1] !== undefined) resolve(match[1]);
        });
        parent.once("exit", () => reject(new Error("the program ended early")));
      });
      const pid = Number(await readFile(pidFile, "utf8"));
      expect(isAlive(pid)).toBe(true);
      parent.kill("SIGKILL");
      const startedAt = performance.now();
      while (isAlive(pid) && performance.now() - startedAt < 10_000)
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(isAlive(pid)).toBe(false);
    } finally {
      parent.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
      if (home !== undefined) await rm(home, { recursive: true, force: true });
    }
  });
});
