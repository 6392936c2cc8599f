import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { Guardian } from "./guardian.ts";
import { processStartedAtMs } from "./process-start-time.ts";

let folder: string;
const signal = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "hermes-guardian-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isAlive = async (pid: number): Promise<boolean> => (await processStartedAtMs(pid, signal)) !== undefined;
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

/** A program that opens real terminals, starts children in the background, and is then killed. */
function parentProgram(): string {
  const here = path.join(process.cwd(), "src/tools/terminals");
  return `
import { openLocalTerminal } from ${JSON.stringify(path.join(here, "local/local-terminal.ts"))};
import { Guardian } from ${JSON.stringify(path.join(here, "guardian.ts"))};
import { silentLogger } from "#foundation/files/logger";
const guardian = new Guardian(silentLogger);
const signal = new AbortController().signal;
const terminal = await openLocalTerminal({
  taskId: "t", cwd: ${JSON.stringify(folder)}, env: { ...process.env, TMPDIR: ${JSON.stringify(folder)} }, logger: silentLogger,
  environment: { policy: "inherit", extra: guardian.mark }, watch: (pid) => guardian.watch(pid),
}, signal);
const pids = ${JSON.stringify(folder)};
const commands = [
  "echo $$ > " + pids + "/plain; exec sleep 600",
  "trap '' TERM; echo $$ > " + pids + "/stubborn; while :; do sleep 1; done",
  "(sh -c 'echo $$ > " + pids + "/double; exec sleep 600' &) ; sleep 600",
  "setsid sh -c 'echo $$ > " + pids + "/session; exec sleep 600' & wait",
];
await Promise.all(commands.map((command) => terminal.spawn(command, { pty: false, signal })));
void terminal.exec('echo $$ > ' + pids + '/foreground; sleep 600', { timeoutMs: 600000, signal });
`;
}

async function pidIn(name: string): Promise<number> {
  for (;;) {
    const text = await readFile(path.join(folder, name), "utf8").catch(() => "");
    if (/^\d+\n$/.test(text)) return Number(text);
    await pause();
  }
}

describe("the guardian", () => {
  it("leaves no child alive 5 s after its owner was killed with SIGKILL", async () => {
    const flags = ["--import", "tsx", "--conditions=hermes-source", "--input-type=module"];
    const parent = spawn(process.execPath, [...flags, "-e", parentProgram()], {
      cwd: process.cwd(),
      stdio: ["ignore", "ignore", "inherit"],
    });
    const names = ["plain", "stubborn", "double", "session", "foreground"];
    const pids = await Promise.all(names.map((name) => pidIn(name)));
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true, true, true, true]);
    const killedMs = Date.now();
    parent.kill("SIGKILL");
    let left = pids;
    while (left.length > 0 && Date.now() - killedMs < 5_000) {
      const states = await Promise.all(left.map(isAlive));
      left = left.filter((_, index) => states[index]);
      await pause();
    }
    expect(left).toEqual([]);
  });

  it("ends a watched group also where nothing carries its mark", async () => {
    const program = `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Guardian } from ${JSON.stringify(path.join(process.cwd(), "src/tools/terminals/guardian.ts"))};
import { silentLogger } from "#foundation/files/logger";
const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore", env: {} });
new Guardian(silentLogger).watch(child.pid);
writeFileSync(${JSON.stringify(path.join(folder, "unmarked"))}, child.pid + "\\n");
setInterval(() => undefined, 1000);
`;
    const flags = ["--import", "tsx", "--conditions=hermes-source", "--input-type=module"];
    const parent = spawn(process.execPath, [...flags, "-e", program], {
      cwd: process.cwd(),
      stdio: ["ignore", "ignore", "inherit"],
    });
    const pid = await pidIn("unmarked");
    const killedMs = Date.now();
    parent.kill("SIGKILL");
    while ((await isAlive(pid)) && Date.now() - killedMs < 5_000) await pause();
    expect(await isAlive(pid)).toBe(false);
  });

  it("lets a group alone that was given back, and everybody after a farewell", async () => {
    const guardian = new Guardian(memoryLogger());
    const child = spawn("sleep", ["600"], {
      detached: true,
      stdio: "ignore",
      env: { ...process.env, ...guardian.mark },
    });
    const pid = child.pid ?? 0;
    try {
      guardian.watch(pid)[Symbol.dispose]();
      using _kept = guardian.watch(pid);
      await guardian[Symbol.asyncDispose]();
      expect(await isAlive(pid)).toBe(true);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("starts a new watcher when somebody ended the old one", async () => {
    const logger = memoryLogger();
    const guardian = new Guardian(logger);
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    const pid = child.pid ?? 0;
    try {
      guardian.watch(pid);
      const watcher = await watcherOf(process.pid);
      process.kill(watcher, "SIGKILL");
      while (logger.lines.length === 0) await pause();
      guardian.watch(pid);
      expect(await watcherOf(process.pid)).not.toBe(watcher);
    } finally {
      child.kill("SIGKILL");
      await guardian[Symbol.asyncDispose]();
    }
  });
});

async function watcherOf(parent: number): Promise<number> {
  for (;;) {
    const listed = await readFile(`/proc/${parent}/task/${parent}/children`, "latin1");
    for (const pid of listed.trim().split(" ")) {
      const line = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
      if (line.includes("hermes-guardian") && (await isAlive(Number(pid)))) return Number(pid);
    }
    await pause();
  }
}
