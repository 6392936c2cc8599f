import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { batchEntry, type ToolStats } from "./batch-entry.ts";
import { isCompleted, localTimestamp, savesTrajectories, type TrajectoryEntry, trajectoryEntry } from "./entry.ts";
import { trajectoryProblems, trajectoryStats } from "./inspect.ts";
import { loadTrajectories } from "./read.ts";
import { convertScratchpad, toShareGpt } from "./sharegpt.ts";
import { trimBoth, trimEnd } from "./white-space.ts";
import { TrajectoryWriter } from "./writer.ts";

const signal = new AbortController().signal;
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-trajectory-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function entry(answer: string, completed = true): TrajectoryEntry {
  const messages = [
    { role: "user", content: "q" },
    { role: "assistant", content: answer },
  ];
  const conversations = toShareGpt({ messages, tools: [], log: memoryLogger() });
  return trajectoryEntry({ conversations, finishedAt: new Date(2026, 0, 2, 3, 4, 5, 60), model: "m", completed });
}

const linesOf = async (name: string): Promise<readonly string[]> =>
  (await readFile(join(folder, name), "utf8")).split("\n").slice(0, -1);

describe("saving trajectories", () => {
  it("[50:1.12.2] keeps completed ones and others apart", async () => {
    const writer = new TrajectoryWriter(folder, memoryLogger());
    await writer.save(entry("done"));
    expect(await readdir(folder)).toEqual(["trajectory_samples.jsonl"]);
    expect(await linesOf("trajectory_samples.jsonl")).toHaveLength(1);
    await writer.save(entry("cut", false));
    expect(await linesOf("failed_trajectories.jsonl")).toHaveLength(1);
    expect(await linesOf("trajectory_samples.jsonl")).toHaveLength(1);
  });

  it("[50:1.12.5] writes strict JSON with its keys in order", async () => {
    await new TrajectoryWriter(folder, memoryLogger()).save(entry("done"));
    const [line = ""] = await linesOf("trajectory_samples.jsonl");
    const parsed = JSON.parse(line) as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(["conversations", "timestamp", "model", "completed"]);
    expect(parsed.timestamp).toBe("2026-01-02T03:04:05.060000");
    expect(line.endsWith('"timestamp": "2026-01-02T03:04:05.060000", "model": "m", "completed": true}')).toBe(true);
  });

  it("[50:1.1] writes both outcomes to a named file and creates its folder", async () => {
    const writer = new TrajectoryWriter(folder, memoryLogger());
    await writer.save(entry("a"), "deep/er/all.jsonl");
    await writer.save(entry("b", false), "deep/er/all.jsonl");
    expect(await linesOf("deep/er/all.jsonl")).toHaveLength(2);
  });

  it("[50:1.1] saves a sample as one readable object", async () => {
    const saved = await new TrajectoryWriter(folder, memoryLogger()).saveSample(entry("a"), "q");
    expect(saved.path).toMatch(/\/sample_[0-9a-f]{8}\.json$/);
    const text = await readFile(saved.path, "utf8");
    expect(text.startsWith('{\n  "conversations": [\n')).toBe(true);
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      "conversations",
      "timestamp",
      "model",
      "completed",
      "query",
    ]);
  });

  it("[50:1.12.7] logs one warning and goes on when it cannot write", async () => {
    const log = memoryLogger();
    await writeFile(join(folder, "file"), "");
    const saved = await new TrajectoryWriter(join(folder, "file"), log).save(entry("a"));
    expect(saved.kind).toBe("failed");
    expect(log.lines.map(({ level }) => level)).toEqual(["warn"]);
  });

  it("[50:1.12.8] keeps large lines whole that are saved at once", async () => {
    const writer = new TrajectoryWriter(folder, memoryLogger());
    await Promise.all(["a", "b", "c"].map((letter) => writer.save(entry(letter.repeat(1_000_000)))));
    const lines = await linesOf("trajectory_samples.jsonl");
    expect(lines.map((line) => (JSON.parse(line) as TrajectoryEntry).conversations.length)).toEqual([3, 3, 3]);
  });

  it("[50:1.12.9] writes U+2028 and emoji as they are, and survives half a character", async () => {
    await new TrajectoryWriter(folder, memoryLogger()).save(entry("a\u2028b 👍 \ud800 c"));
    const text = await readFile(join(folder, "trajectory_samples.jsonl"), "utf8");
    expect(text).toContain("a\u2028b 👍 \\ud800 c");
    const read = loadTrajectories(join(folder, "trajectory_samples.jsonl"), { signal });
    expect((await read.next()).done).toBe(false);
    expect((await read.next()).done).toBe(true);
  });

  it("[50:1.12.3] [50:1.12.4] the flag wins over the setting", () => {
    expect(savesTrajectories(undefined, false)).toBe(false);
    expect(savesTrajectories(true, false)).toBe(true);
    expect(savesTrajectories(false, true)).toBe(false);
  });
});

describe("entries", () => {
  it("[50:1.2] count as completed only when nothing cut them short", () => {
    const good = {
      finalText: "x",
      apiCalls: 3,
      maxIterations: 4,
      isInterrupted: false,
      isPartial: false,
      isFailed: false,
    };
    expect(isCompleted(good)).toBe(true);
    for (const change of [
      { finalText: undefined },
      { finalText: " " },
      { apiCalls: 4 },
      { isInterrupted: true },
      { isPartial: true },
      { isFailed: true },
    ])
      expect(isCompleted({ ...good, ...change })).toBe(false);
  });

  it("[50:0.5] leave out a fraction of zero", () => {
    expect(localTimestamp(new Date(2026, 10, 16, 1, 2, 3))).toBe("2026-11-16T01:02:03");
  });

  it("[50:1.12.6] of a batch have the same columns whatever tools were used", () => {
    const used = (name: string): ReadonlyMap<string, ToolStats> =>
      new Map([[name, { count: 2, success: 1, failure: 1 }]]);
    const base = {
      promptIndex: 0,
      conversations: [],
      metadata: {},
      completed: true,
      partial: false,
      apiCalls: 1,
      toolsets: ["web"],
      knownTools: ["web_search", "terminal"],
    };
    const one = batchEntry({ ...base, usedTools: used("terminal") });
    const other = batchEntry({ ...base, usedTools: used("web_search") });
    expect(Object.keys(one.tool_stats)).toEqual(["terminal", "web_search"]);
    expect(Object.keys(other.tool_stats)).toEqual(Object.keys(one.tool_stats));
    expect(one.tool_error_counts).toEqual({ terminal: 1, web_search: 0 });
    expect(Object.keys(one)).toEqual([
      "prompt_index",
      "conversations",
      "metadata",
      "completed",
      "partial",
      "api_calls",
      "toolsets_used",
      "tool_stats",
      "tool_error_counts",
    ]);
    expect(Object.keys(batchEntry({ ...base, usedTools: used("made_up") }).tool_stats)).toEqual([
      "terminal",
      "web_search",
      "made_up",
    ]);
  });
});

describe("reading trajectories [50:1.10]", () => {
  async function load(text: string, onInvalid?: "throw" | "skip"): Promise<readonly object[]> {
    await writeFile(join(folder, "t.jsonl"), text);
    const entries: object[] = [];
    const options = onInvalid === undefined ? { signal } : { signal, onInvalid };
    for await (const one of loadTrajectories(join(folder, "t.jsonl"), options)) entries.push(one);
    return entries;
  }

  it("[50:1.12.10] counts the lines that are not blank", async () => {
    expect(await load('{"a":1}\n\n  \r\n{"b":"x\u2028y"}\r\n\n')).toEqual([{ a: 1 }, { b: "x\u2028y" }]);
    expect(await load("\ufeff")).toEqual([]);
  });

  it("stops at a broken line and names it, or skips it", async () => {
    await expect(load('{"a":1}\n{"b"\n')).rejects.toThrow(/Line 2 of .*t\.jsonl/);
    expect(await load('[1]\n{"a":1}\n{"b"\n', "skip")).toEqual([{ a: 1 }]);
  });

  it("fails for a missing file and when it is given up", async () => {
    const missing = loadTrajectories(join(folder, "none.jsonl"), { signal });
    await expect(missing.next()).rejects.toThrow("ENOENT");
    await writeFile(join(folder, "t.jsonl"), "{}\n");
    const input = loadTrajectories(join(folder, "t.jsonl"), { signal: AbortSignal.abort() });
    await expect(input.next()).rejects.toThrow();
  });

  it("checks and counts entries", async () => {
    await writeFile(
      join(folder, "t.jsonl"),
      [
        entry("a"),
        entry("b", false),
        { conversations: "x" },
        { conversations: [{ from: "gpt", value: "no" }], completed: 1 },
      ]
        .map((one) => JSON.stringify(one))
        .join("\n"),
    );
    const stats = await trajectoryStats(loadTrajectories(join(folder, "t.jsonl"), { signal }));
    expect(stats).toEqual({ entries: 4, completed: 1, invalid: 2, turns: 7, toolCalls: 0, models: { m: 2 } });
    expect(trajectoryProblems({ ...entry("a") })).toEqual([]);
    expect(trajectoryProblems({ conversations: [{ from: "gpt", value: "no" }, { from: "x" }] })).toHaveLength(5);
  });
});

describe("scratchpads [50:1.6]", () => {
  it("convert every tag", () => {
    const text = "<REASONING_SCRATCHPAD>a</REASONING_SCRATCHPAD> <REASONING_SCRATCHPAD>b</REASONING_SCRATCHPAD>";
    expect(convertScratchpad(text)).toBe("<think>a</think> <think>b</think>");
  });
});

describe("white space of the training data", () => {
  it("counts separators, but not the byte order mark", () => {
    expect(trimBoth("\u001c\u0085 \u3000a\ufeff\u2028\n")).toBe("a\ufeff");
    expect(trimEnd("  a \t")).toBe("  a");
  });
});
