import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";

const tools = path.join(import.meta.dirname, "../../src/tools");
const from = (file: string): string => JSON.stringify(path.join(tools, file));

/** Opens what a busy session has open, tells that it is ready, and waits to be killed. */
const program = (folder: string): string => `
import path from "node:path";
import { systemClock } from "#foundation/time/clock";
import { silentLogger } from "#foundation/files/logger";
import { findChromium } from ${from("browser/executable.ts")};
import { openLocal } from ${from("browser/open.ts")};
import { defaultBrowserOptions } from ${from("browser/options.ts")};
import { createTerminalTool } from ${from("builtin/terminal.tool.ts")};
import { fakeSettings, mcpStage } from ${from("mcp/testing.ts")};
import { Guardian } from ${from("terminals/guardian.ts")};
import { LeaseTable } from ${from("terminals/lease.ts")};
import { localOpener } from ${from("terminals/open-terminal.ts")};
import { ProcessTable } from ${from("terminals/processes/process-table.ts")};
import { noWall } from ${from("terminals/testing.ts")};
import { testScope, toolContext } from ${from("testing.ts")};

const folder = ${JSON.stringify(folder)};
const { signal } = new AbortController();
const guardian = new Guardian(silentLogger);
const processes = new ProcessTable({
  clock: systemClock, logger: silentLogger, redact: (text) => text, onEvent: () => undefined,
  recordFile: path.join(folder, "processes.json"), outputDir: path.join(folder, "out"),
});
const leases = new LeaseTable({
  open: localOpener({
    env: process.env, environment: { policy: "inherit" }, hermesHome: folder, logger: silentLogger, guardian,
    wall: () => Promise.resolve(noWall),
  }),
  hasProcesses: (taskId) => processes.hasActiveProcesses(taskId), clock: systemClock, logger: silentLogger,
});
const terminal = createTerminalTool({
  leases, processes, redact: (text) => text,
  gate: { checkCommand: async () => ({ kind: "run" }), checkFindings: async () => ({ kind: "run" }) },
  options: { kind: "local", defaultTimeoutMs: 180_000, maxForegroundMs: 600_000, maxOutputChars: 50_000, home: folder },
});
for (const command of [
  "sleep 987654", "trap '' TERM; while :; do sleep 1; done", "setsid sleep 987655 & wait", "sh -c 'sleep 987656'",
]) {
  const { content } = await terminal.execute({ command, background: true }, toolContext({ scope: testScope({ cwd: folder }) }));
  if (content.error) throw new Error(content.error);
}
const stage = await mcpStage({ adoptProcess: (pid) => guardian.watch(pid), childEnv: guardian.mark });
const deaf = { ignoreTerm: true, stayAfterInput: true };
await stage.open([fakeSettings("one"), fakeSettings("two"), fakeSettings("deaf", deaf)]).ready(testScope(), signal);
if ((await findChromium(process.env)) !== undefined) {
  const driver = await openLocal(
    {
      options: { ...defaultBrowserOptions, noSandbox: process.getuid?.() === 0 },
      env: process.env, childEnv: guardian.mark, clock: systemClock, logger: silentLogger,
      folders: { profiles: path.join(folder, "profiles"), downloads: folder, screenshots: folder },
    },
    { taskId: "t", isStrict: false },
    signal,
  );
  await driver.navigate("about:blank", signal);
}
console.log("ready", stage.home);
setInterval(() => undefined, 1000);
`;

interface Running {
  readonly pid: number;
  readonly command: string;
}

/** Every process that descends from us by its environment or its parents, the given one left out. */
async function descendants(of: number): Promise<readonly Running[]> {
  const parents = new Map<number, number>();
  const commands = new Map<number, string>();
  for (const name of (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry))) {
    const [status, command] = await Promise.all([
      readFile(`/proc/${name}/status`, "utf8").catch(() => ""),
      readFile(`/proc/${name}/cmdline`, "utf8").catch(() => ""),
    ]);
    if (/^State:\s+Z/m.test(status)) continue;
    parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]));
    commands.set(Number(name), command.replaceAll("\0", " "));
  }
  const found = new Set<number>();
  for (let grown = true; grown; ) {
    grown = false;
    for (const [pid, parent] of parents) {
      if (found.has(pid) || (parent !== of && !found.has(parent))) continue;
      found.add(pid);
      grown = true;
    }
  }
  return [...found].map((pid) => ({ pid, command: commands.get(pid) ?? "" }));
}

/** The same process, not another that got its number since. */
async function isAlive({ pid, command }: Running): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  if (status === "" || /^State:\s+Z/m.test(status)) return false;
  const now = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return now.replaceAll("\0", " ") === command;
}

describe.skipIf(process.platform !== "linux")("everything the program started", () => {
  it("[30:MCP-03] [30:3.15] [30:4.7] is gone within five seconds after the program was killed", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "hermes-kill-"));
    const flags = ["--import", "tsx", "--conditions=hermes-source", "--input-type=module"];
    const parent = spawn(process.execPath, [...flags, "-e", program(folder)], {
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
      const children = await descendants(parent.pid ?? -1);
      const matching = (pattern: RegExp): number => children.filter(({ command }) => pattern.test(command)).length;
      expect(matching(/mcp-server\/server\.mjs/)).toBe(3);
      expect(matching(/sleep 98765[456]/)).toBeGreaterThanOrEqual(3);
      expect(matching(/trap '' TERM/)).toBeGreaterThanOrEqual(1);
      parent.kill("SIGKILL");
      const left = async (): Promise<readonly string[]> => {
        const alive = await Promise.all(children.map(isAlive));
        return children.filter((_, index) => alive[index]).map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`);
      };
      await expect.poll(left, { timeout: 5_000, interval: 50 }).toEqual([]);
    } finally {
      parent.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      if (home !== undefined) await rm(home, { recursive: true, force: true });
    }
  });
});
