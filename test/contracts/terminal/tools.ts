import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import {
  allowingGate,
  createExecuteCodeTool,
  createSearchFilesTool,
  createTerminalTool,
  defaultFileOptions,
  defaultScriptOptions,
  FileLedger,
  LeaseTable,
  leasesOf,
  noWall,
  ProcessTable,
  ReadHistory,
  runTool,
  ScriptStarts,
  type Terminal,
  type TerminalLeases,
  toolContext,
} from "#tools/testing";
import type { Shared } from "./contract.ts";
import { run, until } from "./run.ts";

const folder = "/tmp/contract-tools";

/** The tools of the model work without knowing where. */
export function toolContract(shared: () => Shared): void {
  describe("tools", () => {
    beforeAll(async () => {
      const lines = `mkdir -p ${folder}/src ${folder}/.hidden; cd ${folder}; printf 'one needle\\ntwo\\n' >a.txt; echo 'let needle' >src/b.ts`;
      await run(shared().terminal, `${lines}; echo needle >.hidden/c; touch -d @1700000000 a.txt; cd`);
    });

    const search = (args: Record<string, unknown>) =>
      runTool(createSearchFilesTool(searchDeps(shared().terminal)), { path: folder, ...args }).then(
        ({ content }) => content as Record<string, unknown>,
      );

    it("search_files finds lines, not in hidden files [30:3.6]", async () => {
      const found = await search({ pattern: "nee+dle", context: 1 });
      expect(found).toMatchObject({ total_count: 2 });
      expect(JSON.stringify(found)).toContain('"content":"one needle"');
      expect(JSON.stringify(found)).toContain('"content":"two"');
      expect(await search({ pattern: "needle", file_glob: "*.ts", output_mode: "files_only" })).toMatchObject({
        files: [expect.stringContaining("src/b.ts")],
      });
      await expect(search({ pattern: "a(b" })).rejects.toThrow(/not a valid regular expression/);
    });

    it("search_files finds files, newest first", async () => {
      expect(await search({ pattern: "*", target: "files" })).toMatchObject({
        files: [expect.stringContaining("src/b.ts"), expect.stringContaining("a.txt")],
        total_count: 2,
      });
    });

    it("execute_code runs a script beside the terminal, and its calls come back [30:3.7]", async () => {
      const asked: unknown[] = [];
      const code = [
        "from hermes_tools import terminal",
        "import os, sys",
        "print('start', end='')",
        "for i in range(3):",
        "    print(terminal('echo ' + str(i))['n'])",
        `print(os.path.exists('${folder}/a.txt'), file=sys.stdout)`,
        "sys.exit(3 if len(sys.argv) > 1 else 0)",
      ].join("\n");
      const { content } = await script(shared().terminal, { code }, (call) => {
        asked.push(call.args["command"]);
        return { n: `call ${asked.length}` };
      });
      expect(content).toMatchObject({
        status: "success",
        output: "startcall 1\ncall 2\ncall 3\nTrue\n",
        tool_calls_made: 3,
      });
      expect(asked).toEqual(["echo 0", "echo 1", "echo 2"]);
    });

    it("execute_code tells how a script failed", async () => {
      const { content } = await script(shared().terminal, { code: "print('before')\nraise ValueError('broken')" });
      expect(content).toMatchObject({ status: "error", error: expect.stringContaining("ValueError: broken") });
      expect(JSON.stringify(content)).toContain("before");
    });

    it("process hears a pattern in the output of a background process [30:4.10]", async () => {
      const events: string[] = [];
      const home = await mkdtemp(path.join(tmpdir(), "hermes-processes-"));
      const table = new ProcessTable({
        clock: systemClock,
        logger: memoryLogger(),
        recordFile: path.join(home, "processes.json"),
        outputDir: path.join(home, "output"),
        redact: (text) => text,
        onEvent: (event) => void events.push(event.type),
      });
      try {
        const tool = terminalTool(leasesOf(shared().terminal), table);
        const command = "for i in 1 2 3; do echo ready $i; sleep 0.1; done";
        const { content } = await runTool(tool, { command, background: true, watch_patterns: ["ready"] });
        expect(content).toMatchObject({
          output: "Background process started",
          session_id: expect.stringMatching(/^proc_/),
        });
        await until(async () => {
          await run(shared().terminal, "sleep 0.2");
          return events.length > 0 && !table.hasActiveProcesses("default");
        });
        expect(events.filter((type) => type === "watch_match")).toHaveLength(1);
      } finally {
        await table[Symbol.asyncDispose]();
        await rm(home, { recursive: true, force: true });
      }
    });

    it("terminal makes a lost environment again, once, and says so [30:ENV-25]", async () => {
      const { subject } = shared();
      if (subject.destroy === undefined) return;
      await using leases = new LeaseTable({
        open: () => subject.open({ taskId: "again" }),
        hasProcesses: () => false,
        clock: systemClock,
        logger: memoryLogger(),
      });
      const tool = terminalTool(leases, undefined);
      expect((await runTool(tool, { command: "echo one" })).content).toMatchObject({ output: "one", exit_code: 0 });
      await subject.destroy();
      expect((await runTool(tool, { command: "echo two" })).content).toMatchObject({
        output: "two",
        exit_code: 0,
        environment_restarted: true,
      });
    });
  });
}

function searchDeps(terminal: Terminal): Parameters<typeof createSearchFilesTool>[0] {
  return {
    leases: leasesOf(terminal),
    mayRead: () => Promise.resolve(() => true),
    guard: (given) => Promise.resolve({ kind: "allowed", realPath: given }),
    ledger: new FileLedger(),
    history: new ReadHistory(),
    options: defaultFileOptions,
    redact: (text) => text,
    findMask: () => undefined,
    engine: async () => (await import("../../../src/tools/files/search/walker.ts")).walkerEngine,
  };
}

function script(
  terminal: Terminal,
  args: { readonly code: string },
  answer: (call: { readonly args: Readonly<Record<string, unknown>> }) => unknown = () => ({}),
) {
  const tool = createExecuteCodeTool({
    leases: leasesOf(terminal),
    gate: allowingGate,
    options: { ...defaultScriptOptions, timeoutMs: 30_000 },
    env: { PATH: process.env["PATH"] },
    passthrough: [],
    callTool: (call) => Promise.resolve(JSON.stringify(answer(call))),
    redact: (text) => text,
    starts: new ScriptStarts({}),
    isContained: () => false,
    screening: "allow",
    wall: () => Promise.resolve(noWall),
  });
  return runTool(tool, args, toolContext({ enabledTools: new Set(["terminal"]) }));
}

function terminalTool(leases: TerminalLeases, processes: ProcessTable | undefined) {
  return createTerminalTool({
    leases,
    gate: allowingGate,
    // Commands in the foreground need no table.
    processes: processes as ProcessTable,
    options: {
      kind: "docker",
      home: "/root",
      defaultTimeoutMs: 30_000,
      maxForegroundMs: 60_000,
      maxOutputChars: 50_000,
    },
    redact: (text) => text,
  });
}
