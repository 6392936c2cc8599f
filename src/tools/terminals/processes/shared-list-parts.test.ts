import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { ProcessTable } from "./process-table.ts";

const source = path.join(import.meta.dirname, "..");
let folder: string;
let programs: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-process-list-"));
});

afterEach(async () => {
  for (const program of programs) program.kill("SIGKILL");
  programs = [];
  for (const { pid } of await listed().catch(() => [])) kill(pid);
  await rm(folder, { recursive: true, force: true });
});

const recordFile = (): string => path.join(folder, "processes.json");

interface Listed {
  readonly command: string;
  readonly pid: number;
  readonly owner_pid: number;
}

async function listed(): Promise<readonly Listed[]> {
  return JSON.parse(await readFile(recordFile(), "utf8")) as Listed[];
}

function kill(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

/** A program of its own that runs these commands in the background, and waits for its input to end. */
async function startProgram(commands: readonly string[]): Promise<ChildProcess> {
  const text = `
import { openLocalTerminal } from ${JSON.stringify(path.join(source, "local/local-terminal.ts"))};
import { ProcessTable } from ${JSON.stringify(path.join(source, "processes/process-table.ts"))};
import { systemClock } from "#foundation/time/clock";
import { silentLogger } from "#foundation/files/logger";
const folder = ${JSON.stringify(folder)};
const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
const signal = new AbortController().signal;
const terminal = await openLocalTerminal({ taskId: "t", cwd: folder, env, environment: { policy: "inherit" }, logger: silentLogger }, signal);
const table = new ProcessTable({ clock: systemClock, logger: silentLogger, recordFile: ${JSON.stringify(recordFile())},
  outputDir: folder + "/out", redact: (one) => one, onEvent: () => undefined });
for (const command of ${JSON.stringify(commands)})
  await table.start({ terminal, command, pty: false, taskId: "t", scope: { key: "s", source: "cli" }, notifyOnComplete: false, watchPatterns: [] });
console.log("started");
process.stdin.on("end", async () => { await table[Symbol.asyncDispose](); await terminal[Symbol.asyncDispose](); process.exit(0); }).resume();
`;
  const flags = ["--import", "tsx", "--conditions=hermes-source", "--input-type=module", "-e", text];
  const program = spawn(process.execPath, flags, { stdio: ["pipe", "pipe", "inherit"] });
  programs.push(program);
  await new Promise<void>((resolve, reject) => {
    program.stdout?.on("data", (chunk: Buffer) => chunk.toString().includes("started") && resolve());
    program.once("exit", () => reject(new Error("the program ended early")));
  });
  return program;
}

const ended = (program: ChildProcess): Promise<unknown> => new Promise((resolve) => program.once("exit", resolve));
const sorted = async (): Promise<readonly string[]> => (await listed()).map(({ command }) => command).sort();

describe("the list of background processes of a home that two programs share", () => {
  it("holds those of both, also when they start at once, and loses only those of the one that ends [30:4.7]", async () => {
    const [first] = await Promise.all([
      startProgram(["sleep 301", "sleep 302", "sleep 303"]),
      startProgram(["sleep 401", "sleep 402", "sleep 403"]),
    ]);
    expect(await sorted()).toEqual([301, 302, 303, 401, 402, 403].map((seconds) => `sleep ${seconds}`));
    const gone = ended(first);
    first.stdin?.end();
    await gone;
    expect(await sorted()).toEqual(["sleep 401", "sleep 402", "sleep 403"]);
  });

  it("gives away what a killed program left, and nothing of one that runs [30:4.7]", async () => {
    const [killed] = await Promise.all([startProgram(["sleep 501"]), startProgram(["sleep 601"])]);
    const gone = ended(killed);
    killed.kill("SIGKILL");
    await gone;
    await using table = new ProcessTable({
      clock: systemClock,
      logger: silentLogger,
      recordFile: recordFile(),
      outputDir: path.join(folder, "out"),
      redact: (text) => text,
      onEvent: () => undefined,
    });
    expect(await table.recover(never)).toBe(1);
    expect(table.list("s").map(({ facts }) => facts.command)).toEqual(["sleep 501"]);
    const owners = new Map((await listed()).map((one) => [one.command, one.owner_pid]));
    expect(owners.get("sleep 501")).toBe(process.pid);
    expect(owners.get("sleep 601")).not.toBe(process.pid);
    expect(await table.recover(never)).toBe(0);
    await table.killAll("s");
    expect(await sorted()).toEqual(["sleep 601"]);
  });
});
