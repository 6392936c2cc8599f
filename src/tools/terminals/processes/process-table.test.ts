import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { Terminal, TerminalProcess } from "../../contract/terminal.ts";
import { folderTerminal, testScope } from "../../testing.ts";
import type { ProcessEvent } from "./process-event.ts";
import { ProcessTable } from "./process-table.ts";

let folder: string;
let clock: FakeClock;
let events: ProcessEvent[];
let table: ProcessTable;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "hermes-table-"));
  clock = new FakeClock();
  events = [];
  table = new ProcessTable({
    clock,
    logger: memoryLogger(),
    recordFile: path.join(folder, "processes.json"),
    outputDir: path.join(folder, "out"),
    redact: (text) => text.replaceAll("hunter2", "***"),
    onEvent: (event) => void events.push(event),
  });
});

afterEach(async () => {
  await table[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** A process that says what the test says. */
function puppet() {
  const exit = new Deferred<number>();
  let say: (text: string) => void = () => undefined;
  const end = (code: number): Promise<void> => {
    exit.resolve(code);
    return Promise.resolve();
  };
  const child: TerminalProcess = {
    pid: undefined,
    startedAtMs: undefined,
    onData: (listener) => {
      say = listener;
    },
    exit: exit.promise,
    write: () => Promise.resolve(),
    closeInput: () => Promise.resolve(),
    kill: () => end(-15),
    [Symbol.asyncDispose]: () => end(-15),
  };
  const terminal: Terminal = { ...folderTerminal("/"), spawn: () => Promise.resolve(child) };
  return { terminal, say: (text: string) => say(text), end };
}

async function start(patterns: readonly string[], source = "cli") {
  const one = puppet();
  const process = await table.start({
    terminal: one.terminal,
    command: "watched",
    pty: false,
    taskId: "T",
    scope: testScope({ key: "chat", source }),
    notifyOnComplete: false,
    watchPatterns: patterns,
  });
  if (process === undefined) throw new Error("not started");
  return { ...one, process };
}

describe("reports of background processes", () => {
  it("[30:4.7] turn to the end of the process when its patterns match too often", async () => {
    const one = await start(["x"], "telegram");
    for (const _ of [1, 2, 3]) {
      one.say("x hunter2\n");
      one.say("x\n");
      await clock.advance(15_000);
    }
    await one.end(0);
    await one.process.ended;
    expect(events.map((event) => event.type)).toEqual([
      "watch_match",
      "watch_match",
      "watch_match",
      "watch_disabled",
      "completion",
    ]);
    expect(events[0]).toMatchObject({
      output: "x ***",
      session_key: "chat",
      route: { platform: "telegram" },
    });
    expect(events[4]).toMatchObject({ exit_code: 0, output: "x ***\nx\nx ***\nx\nx ***\nx\n" });
  });

  it("[30:4.7] fall silent for 30 s when all processes together report too much", async () => {
    const many = await Promise.all(Array.from({ length: 18 }, () => start(["x"])));
    for (const one of many) one.say("x\n");
    expect(events.map((event) => event.type)).toEqual([...Array(15).fill("watch_match"), "watch_overflow_tripped"]);
    await clock.advance(30_000);
    expect(events.at(-1)).toEqual({ type: "watch_overflow_released", suppressed: 3 });
  });

  it("[30:4.7] never speak of output after the end", async () => {
    const one = await start(["x"]);
    await one.end(0);
    await one.process.ended;
    one.say("x\n");
    expect(events).toEqual([]);
  });

  it("[30:4.7] let the oldest ended process go when there is no room, and count starts under way", async () => {
    const first = await start([]);
    await first.end(0);
    await first.process.ended;
    const running = await Promise.all(Array.from({ length: 63 }, () => start([])));
    expect(running).toHaveLength(63);
    const more = await Promise.allSettled([start([]), start([])]);
    expect(more.map((one) => one.status)).toEqual(["fulfilled", "rejected"]);
    expect(table.list("chat")).toHaveLength(64);
    expect(table.list("chat")).not.toContain(first.process);
  });
});
