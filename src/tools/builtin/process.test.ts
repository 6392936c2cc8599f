import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { ToolContext } from "../contract/context.ts";
import { processStartedAtMs } from "../terminals/process-start-time.ts";
import { ProcessTable } from "../terminals/processes/process-table.ts";
import { localWorkshop } from "../terminals/testing.ts";
import { runTool, testScope, toolContext } from "../testing.ts";
import { createProcessTool } from "./process.tool.ts";
import { createTerminalTool } from "./terminal.tool.ts";

let shop: Awaited<ReturnType<typeof localWorkshop>>;
const signal = new AbortController().signal;

beforeEach(async () => {
  shop = await localWorkshop();
});

afterEach(() => shop[Symbol.asyncDispose]());

type Answer = Record<string, unknown>;

async function start(command: string, more: Answer = {}, context: Partial<ToolContext> = {}): Promise<Answer> {
  const { content } = await runTool(
    createTerminalTool(shop.deps),
    { command, background: true, ...more },
    toolContext(context),
  );
  return content as Answer;
}

async function act(args: Answer, context: Partial<ToolContext> = {}): Promise<Answer> {
  const tool = createProcessTool({ ...shop.deps, now: () => Date.now() });
  return (await runTool(tool, args, toolContext(context))).content as Answer;
}

async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await test())) await new Promise((resolve) => setImmediate(resolve));
}

describe("background processes", () => {
  it("[30:3.1] start with an id and a number, and are waited for", async () => {
    const started = await start("echo out; exit 3");
    expect(started).toEqual({
      output: "Background process started",
      session_id: expect.stringMatching(/^proc_[0-9a-f]{12}$/),
      pid: expect.any(Number),
      exit_code: 0,
      error: null,
    });
    const id = started["session_id"];
    expect(await act({ action: "wait", session_id: id })).toEqual({ status: "exited", exit_code: 3, output: "out\n" });
    expect(await act({ action: "kill", session_id: id })).toEqual({ status: "already_exited", exit_code: 3 });
    expect(await act({ action: "poll", session_id: id })).toMatchObject({
      status: "exited",
      exit_code: 3,
      output_preview: "out\n",
    });
  });

  it("[30:3.2] are listed for their task, and found by their conversation only", async () => {
    const { session_id: id } = await start("echo hunter2; sleep 60");
    await until(async () => String((await act({ action: "poll", session_id: id }))["output_preview"]) !== "");
    const list = (await act({ action: "list" }))["processes"] as Answer[];
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({
      session_id: id,
      command: "echo ***; sleep 60",
      cwd: shop.cwd,
      status: "running",
      output_preview: "***\n",
    });
    expect((await act({ action: "list" }, { taskId: "other" }))["processes"]).toEqual([]);
    expect(await act({ action: "poll", session_id: id }, { taskId: "other" })).toMatchObject({ status: "running" });
    expect(
      await act({ action: "poll", session_id: id }, { taskId: "other", scope: testScope({ key: "else" }) }),
    ).toMatchObject({
      status: "not_found",
    });
  });

  it("[30:3.2] get input only as far as the gate lets it through", async () => {
    const { session_id: id } = await start("cat");
    const seen: unknown[] = [];
    const gate = {
      ...shop.deps.gate,
      checkCommand: (
        text: string,
        { inputOf, tool }: { readonly inputOf?: string | undefined; readonly tool: string },
      ) => {
        seen.push({ text, inputOf, tool });
        return Promise.resolve({ kind: "blocked", reason: "not that", isHardline: false, findings: [] } as const);
      },
    };
    const tool = createProcessTool({ ...shop.deps, gate, now: () => Date.now() });
    const { content } = await runTool(tool, { action: "submit", session_id: id, data: "rm -r src" }, toolContext());
    expect(content).toMatchObject({ status: "blocked", error: "not that" });
    expect(seen).toEqual([{ text: "rm -r src\n", inputOf: "cat", tool: "process" }]);
    expect(await act({ action: "poll", session_id: id })).toMatchObject({ output_preview: "" });
  });

  it("[30:3.2] are killed with their whole group; one that ignores the request is forced", async () => {
    const { session_id: id } = await start("(sleep 60; echo) & echo $!; exec sleep 60");
    let child = 0;
    await until(async () => {
      child = Number(String((await act({ action: "poll", session_id: id }))["output_preview"]).trim());
      return child > 0;
    });
    expect(await act({ action: "kill", session_id: id })).toEqual({ status: "killed", session_id: id });
    expect(await act({ action: "poll", session_id: id })).toMatchObject({ status: "exited", exit_code: -15 });
    expect(await processStartedAtMs(child, signal)).toBeUndefined();
  });

  it("[30:3.2] take input, an Enter, and an end of input", async () => {
    const { session_id: id } = await start('read a; echo "a=$a"; cat; echo ended');
    expect(await act({ action: "write", session_id: id, data: "x" })).toEqual({ status: "ok", bytes_written: 1 });
    expect(await act({ action: "submit", session_id: id, data: "y" })).toEqual({ status: "ok", bytes_written: 2 });
    expect(await act({ action: "close", session_id: id })).toMatchObject({ status: "ok" });
    expect(await act({ action: "wait", session_id: id })).toMatchObject({ exit_code: 0, output: "a=xy\nended\n" });
    expect(await act({ action: "write", session_id: id, data: "z" })).toMatchObject({ error: expect.any(String) });
  });

  it("[30:4.8] under a pseudo-terminal take raw bytes, a carriage return for Enter, and an end of input", async () => {
    const raw = await start("stty raw -echo; echo ready; head -c 2 | od -An -c", { pty: true });
    await until(async () =>
      String((await act({ action: "poll", session_id: raw["session_id"] }))["output_preview"]).includes("ready"),
    );
    await act({ action: "submit", session_id: raw["session_id"], data: "x" });
    expect((await act({ action: "wait", session_id: raw["session_id"] }))["output"]).toMatch(/x\s+\\r/);
    const cooked = await start("cat; echo ended", { pty: true });
    await act({ action: "close", session_id: cooked["session_id"] });
    expect(await act({ action: "wait", session_id: cooked["session_id"] })).toMatchObject({
      exit_code: 0,
      output: expect.stringContaining("ended"),
    });
  });

  it("[30:3.2] show a window of their log", async () => {
    const { session_id: id } = await start("seq 500");
    await act({ action: "wait", session_id: id });
    const last = await act({ action: "log", session_id: id });
    expect(last).toMatchObject({ total_lines: 500, showing: "200 lines" });
    expect(String(last["output"]).startsWith("301\n")).toBe(true);
    expect(await act({ action: "log", session_id: id, offset: 10, limit: 2 })).toMatchObject({
      output: "11\n12",
      showing: "2 lines",
    });
  });

  it("[30:3.2] answer a wait that runs out or is interrupted", async () => {
    const { session_id: id } = await start("echo on; sleep 60");
    expect(await act({ action: "wait", session_id: id, timeout: 1 })).toMatchObject({
      status: "timeout",
      output: "on\n",
      timeout_note: expect.any(String),
    });
    const stop = new AbortController();
    const waiting = act({ action: "wait", session_id: id, timeout: 5_000 }, { signal: stop.signal });
    stop.abort();
    expect(await waiting).toMatchObject({ status: "interrupted" });
  });

  it("[30:3.2] say what is wrong with a request", async () => {
    await expect(act({ action: "explode" })).rejects.toThrow(/list, poll, log, wait, kill, write, submit, close/);
    await expect(act({ action: "poll" })).rejects.toThrow("session_id");
    expect(await act({ action: "poll", session_id: 12 })).toMatchObject({ status: "not_found" });
  });

  it("[30:4.7] report their end once, to the conversation that started them", async () => {
    const { session_id: id } = await start("echo done; exit 2", { notify_on_complete: true, watch_patterns: ["x"] });
    await until(() => shop.events.length > 0);
    expect(shop.events).toEqual([
      {
        type: "completion",
        session_id: id,
        session_key: "cli",
        command: "echo done; exit 2",
        route: { platform: "cli" },
        exit_code: 2,
        output: "done\n",
      },
    ]);
  });

  it("[30:4.7] do not report an end that somebody waited for", async () => {
    const started = await start("read line", { notify_on_complete: true });
    expect(started).toMatchObject({ notify_on_complete: true });
    const waiting = act({ action: "wait", session_id: started["session_id"] });
    await act({ action: "close", session_id: started["session_id"] });
    await waiting;
    expect(shop.events).toEqual([]);
  });

  it("[30:3.1] say that patterns are ignored beside notify_on_complete", async () => {
    const started = await start("true", { notify_on_complete: true, watch_patterns: ["x"] });
    expect(started).toMatchObject({ notify_on_complete: true, watch_patterns_ignored: expect.any(String) });
    expect(started).not.toHaveProperty("watch_patterns");
    expect(await start("true", { watch_patterns: ["x"] })).toMatchObject({ watch_patterns: ["x"] });
  });

  it("[30:4.10-11] report the first match and hold the next ones back", async () => {
    const { session_id: id } = await start("for i in 1 2 3; do echo x; read line; done", { watch_patterns: ["x"] });
    // A shell that starts slowly would find all answers there already, and print everything at once.
    await expect.poll(() => shop.events.length, { interval: 5 }).toBe(1);
    for (const _ of [1, 2, 3]) await act({ action: "submit", session_id: id });
    await act({ action: "wait", session_id: id });
    expect(shop.events).toMatchObject([{ type: "watch_match", pattern: "x", output: "x", suppressed: 0 }]);
  });

  // Sixty-four shells take their time on a busy machine.
  it("[30:4.7] are at most 64, and the refusal says so", { timeout: 120_000 }, async () => {
    await Promise.all(Array.from({ length: 64 }, () => start("exec sleep 60")));
    await expect(start("true")).rejects.toThrow("64");
    expect(shop.processes.hasActiveProcesses("default")).toBe(true);
    expect(await shop.processes.killAll("other")).toBe(0);
    expect(await shop.processes.killAll("cli")).toBe(64);
    expect(shop.processes.hasActiveProcesses("default")).toBe(false);
  });

  it("[30:4.7] [30:W-28] are forgotten 30 minutes after their end, not after their start", async () => {
    const clock = new FakeClock();
    await using own = await localWorkshop({ clock });
    const scope = testScope({ key: "s" });
    const terminal = await own.leases.take({ taskId: "T", scope }, signal);
    const process = await own.processes.start({
      terminal,
      command: "read line",
      pty: false,
      taskId: "T",
      scope,
      notifyOnComplete: false,
      watchPatterns: [],
    });
    await clock.advance(60 * 60_000);
    await process?.child?.closeInput();
    await process?.ended;
    await clock.advance(29 * 60_000);
    expect(own.processes.list("s")).toHaveLength(1);
    await clock.advance(2 * 60_000);
    expect(own.processes.list("s")).toHaveLength(0);
  });
});

describe("recovery after a crash", () => {
  it("[30:4.10-12] takes over a living process with its output, and leaves a recycled number alone", async () => {
    const orphan = spawn("sh", ["-c", "sleep 60; true"], { detached: true, stdio: "ignore" });
    const pid = orphan.pid ?? 0;
    try {
      const startedMs = await processStartedAtMs(pid, signal);
      const log = `${shop.folder}/old.log`;
      await writeFile(log, "history\n");
      const entry = {
        session_id: "proc_0123456789ab",
        command: "sleep 60",
        pid,
        pid_scope: "host",
        pid_started_at_ms: startedMs,
        cwd: "/",
        started_at: 1,
        task_id: "default",
        session_key: "cli",
        output_file: log,
      };
      const recycled = { ...entry, session_id: "proc_aaaaaaaaaaaa", pid_started_at_ms: (startedMs ?? 0) - 60_000 };
      const inside = { ...entry, session_id: "proc_bbbbbbbbbbbb", pid_scope: "sandbox" };
      await writeFile(shop.tableDeps.recordFile, JSON.stringify([entry, recycled, inside, { nonsense: 1 }]));
      // The first look at processes finds what an earlier run left.
      expect(await act({ action: "poll", session_id: "proc_0123456789ab" })).toMatchObject({
        status: "running",
        detached: true,
        output_preview: "history\n",
        note: expect.any(String),
      });
      expect(await act({ action: "poll", session_id: "proc_aaaaaaaaaaaa" })).toMatchObject({ status: "not_found" });
      expect(await act({ action: "kill", session_id: "proc_0123456789ab" })).toMatchObject({ status: "killed" });
      expect(await processStartedAtMs(pid, signal)).toBeUndefined();
    } finally {
      orphan.kill("SIGKILL");
    }
  });

  it("[30:4.7] writes what runs, without secrets, and puts a broken list aside", async () => {
    await start("echo hunter2; sleep 60");
    const [entry] = JSON.parse(await readFile(shop.tableDeps.recordFile, "utf8"));
    expect(entry).toMatchObject({
      pid_scope: "host",
      command: "echo ***; sleep 60",
      task_id: "default",
      cwd: shop.cwd,
    });
    await shop.processes.killAll("cli");
    expect(JSON.parse(await readFile(shop.tableDeps.recordFile, "utf8"))).toEqual([]);
    await writeFile(shop.tableDeps.recordFile, "{broken");
    await using table = new ProcessTable(shop.tableDeps);
    expect(await table.recover(signal)).toBe(0);
  });
});
