import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { badKey, calls, reply, says, slow, startModelServer, thinks } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const thoughtful = reply([thinks("Let me think."), says("Done.")]);

describe("hermes batch", () => {
  it("runs every prompt and writes batch files, merged lines, checkpoint, statistics and a report [50:2.12.1] [50:2.12.9] [50:2.6] [50:2.10]", async () => {
    await using server = await startModelServer({ strict: true });
    server.otherwise(thoughtful);
    const rows = [1, 2, 3, 4, 5].map((n) => JSON.stringify({ prompt: `question ${n}`, difficulty: "hard" }));
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "prompts.jsonl": `${rows.join("\n")}\n` },
    });
    const args = ["batch", "--dataset_file", "prompts.jsonl", "--batch-size", "2", "--run-name", "r"];
    const ran = await stage.run([...args, "--distribution", "terminal_only"]);
    expect(ran).toMatchObject({ code: 0 });
    const folder = path.join(stage.work, "data", "r");
    const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
    expect(lines(read("batch_000_output.jsonl"))).toHaveLength(2);
    expect(lines(read("batch_001_output.jsonl"))).toHaveLength(2);
    expect(lines(read("batch_002_output.jsonl"))).toHaveLength(1);
    const merged = lines(read("trajectories.jsonl"));
    expect(merged).toHaveLength(5);
    expect(Object.keys(merged[0] ?? {})).toEqual([
      ...["prompt_index", "conversations", "metadata", "completed", "partial", "api_calls"],
      ...["toolsets_used", "tool_stats", "tool_error_counts"],
    ]);
    expect(merged[0]).toMatchObject({
      completed: true,
      toolsets_used: ["terminal", "file"],
      metadata: { difficulty: "hard", model: "fake-model" },
    });
    expect(JSON.parse(read("checkpoint.json"))).toMatchObject({ run_name: "r", completed_prompts: [0, 1, 2, 3, 4] });
    expect(JSON.parse(read("statistics.json"))).toMatchObject({ total_prompts: 5, failed_prompts: 0 });
    expect(read("report.html")).toContain("<svg");
    expect(readdirSync(folder).filter((name) => /tmp|part$/.test(name))).toEqual([]);
    expect(await stage.run(args)).toMatchObject({ code: 2 });
    const again = await stage.run([...args, "--resume"]);
    expect(again.stdout).toContain("All prompts are already done");
    expect(server.requests).toHaveLength(5);
  }, 60_000);

  it("needs no more than a dataset and a name: ten prompts are a batch, batches run beside each other [50:2.1] [50:2.2]", async () => {
    await using server = await startModelServer({ strict: true });
    server.otherwise(slow(thoughtful));
    const rows = Array.from({ length: 12 }, (_, n) => JSON.stringify({ prompt: `question ${n}` }));
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "prompts.jsonl": `${rows.join("\n")}\n` },
    });
    const running = stage.run(["batch", "--dataset-file", "prompts.jsonl", "--run-name", "r"]);
    // Both batches are asked about before anything is answered.
    await server.received(2);
    server.release(Number.POSITIVE_INFINITY);
    const ran = await running;
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(lines(await stage.read("data/r/batch_000_output.jsonl"))).toHaveLength(10);
    expect(lines(await stage.read("data/r/batch_001_output.jsonl"))).toHaveLength(2);
    const nameless = await stage.run(["batch", "--dataset-file", "prompts.jsonl"]);
    expect(nameless).toMatchObject({ code: 2, stderr: expect.stringContaining("--run-name") });
  }, 60_000);

  it("works in a folder of its own for each prompt, which is gone afterwards [50:2.5] [50:4.7]", async () => {
    await using server = await startModelServer({ strict: true });
    server.onRequest(({ messages }) => {
      const last = messages.at(-1);
      const command = 'cat ~/x.txt 2>/dev/null; echo "$PWD" > ~/x.txt; cat ~/x.txt';
      if (last?.["role"] === "user") return reply([thinks("I look."), calls("terminal", { command })]);
      return says("Done.");
    });
    const rows = ["a", "b", "c"].map((prompt) => JSON.stringify({ prompt }));
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "p.jsonl": rows.join("\n") },
    });
    const ran = await stage.run([
      "batch",
      "--dataset-file",
      "p.jsonl",
      "--batch-size",
      "1",
      "--run-name",
      "r",
      "--distribution",
      "terminal_only",
    ]);
    expect(ran).toMatchObject({ code: 0 });
    const merged = lines(await stage.read("data/r/trajectories.jsonl"));
    const folders = merged.map((entry) => {
      const turns = entry["conversations"] as { from: string; value: string }[];
      const answer = turns.find(({ from }) => from === "tool")?.value ?? "";
      return /"output": "(\/[^"\\]*)/.exec(answer)?.[1] ?? answer;
    });
    expect(new Set(folders).size).toBe(3);
    for (const folder of folders) {
      expect(folder).toMatch(/hermes-rollout-/);
      expect(existsSync(folder)).toBe(false);
    }
    expect(merged[0]?.["tool_stats"]).toMatchObject({ terminal: { count: 1, success: 1, failure: 0 } });
  }, 60_000);
});

describe("a batch whose files or flags are odd", () => {
  it("starts afresh from a checkpoint nobody can read, and says so; eleven files are merged by their number [50:2.12.10] [50:2.12.13]", async () => {
    await using server = await startModelServer({ strict: true });
    server.otherwise(thoughtful);
    const rows = Array.from({ length: 11 }, (_, n) => JSON.stringify({ prompt: `question ${n}` }));
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "p.jsonl": rows.join("\n"), "data/r/checkpoint.json": "{broken" },
    });
    const run = ["batch", "--dataset-file", "p.jsonl", "--batch-size", "1", "--run-name", "r", "--resume"];
    const ran = await stage.run([...run, "--log-prefix-chars", "50"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stderr).toMatch(/checkpoint/);
    expect(ran.stderr).toContain("--log-prefix-chars has no effect");
    expect(server.requests).toHaveLength(11);
    const merged = lines(await stage.read("data/r/trajectories.jsonl"));
    expect(merged.map((entry) => entry["prompt_index"])).toEqual(rows.map((_, n) => n));
  }, 60_000);

  it("refuses an effort there is none of, and lists those there are [50:2.12.11]", async () => {
    await using stage = await Stage.open({ files: { "p.jsonl": '{"prompt":"p"}\n' } });
    const run = ["batch", "--dataset-file", "p.jsonl", "--run-name", "r", "--reasoning_effort", "huge"];
    const ran = await stage.run(run);
    expect(ran.code).toBe(2);
    for (const level of ["none", "minimal", "low", "medium", "high", "xhigh"]) expect(ran.stderr).toContain(level);
  }, 60_000);
});

const thousand = 1000;
const kills = 20;

describe("a batch that is killed", () => {
  it(`runs each of ${thousand} prompts exactly once, killed ${kills} times on the way [50:2.9] [50:2.12.12]`, async () => {
    await using server = await startModelServer();
    let answered = 0;
    const waiting = new Map<number, () => void>();
    server.onRequest(() => {
      answered += 1;
      waiting.get(answered)?.();
      return thoughtful;
    });
    const rows = Array.from({ length: thousand }, (_, n) => JSON.stringify({ prompt: `question ${n % 990}` }));
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "p.jsonl": rows.join("\n") },
    });
    const args = ["batch", "--dataset-file", "p.jsonl", "--batch-size", "5", "--run-name", "r", "--resume"];
    const run = [...args, "--num-workers", "8", "--distribution", "minimal"];
    for (let kill = 0; kill < kills; kill += 1) {
      const child = stage.start(run);
      const gone = new Promise((resolve) => child.once("exit", resolve));
      await new Promise<void>((resolve) => {
        waiting.set(answered + 30 + kill, resolve);
        child.once("exit", () => resolve());
      });
      child.kill("SIGKILL");
      await gone;
    }
    expect(await stage.run(run)).toMatchObject({ code: 0 });
    const merged = lines(await stage.read("data/r/trajectories.jsonl"));
    const firsts = merged.map((entry) => (entry["conversations"] as { value: string }[])[1]?.value).sort();
    expect(firsts).toEqual(Array.from({ length: thousand }, (_, n) => `question ${n % 990}`).sort());
    expect(JSON.parse(await stage.read("data/r/statistics.json"))).toMatchObject({
      reasoning_statistics: { total_assistant_turns: thousand, turns_with_reasoning: thousand },
    });
  }, 300_000);

  it("goes on with what is missing after the dataset was sorted anew; discarded and failed ones are told apart [50:2.12.2] [50:2.12.3] [50:2.12.4] [50:2.12.7]", async () => {
    await using server = await startModelServer();
    let isDown = true;
    server.onRequest(({ messages }) => {
      const asked = String(messages.findLast(({ role }) => role === "user")?.["content"]);
      if (asked.includes("plain")) return says("No thought.");
      if (asked.includes("broken") && isDown) return badKey();
      const isFirst = messages.at(-1)?.["role"] === "user";
      if (asked.includes("invent") && isFirst) return reply([thinks("Hm."), calls("make_coffee", {})]);
      return thoughtful;
    });
    const rows = ["one", "plain", "broken", "invent", "two"].map((prompt) => JSON.stringify({ prompt }));
    const file = [rows[0], '{"x":1}', ...rows.slice(1)].join("\n");
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "p.jsonl": file } });
    const run = [
      "batch",
      "--dataset-file",
      "p.jsonl",
      "--batch-size",
      "2",
      "--run-name",
      "r",
      "--distribution",
      "minimal",
    ];
    const first = await stage.run(run);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain("line 2");
    const text = await stage.read("data/r/statistics.json");
    expect(JSON.parse(text)).toMatchObject({ discarded_no_reasoning: 1, failed_prompts: 1, filtered_entries: 1 });
    expect(lines(await stage.read("data/r/trajectories.jsonl"))).toHaveLength(2);
    await writeFile(path.join(stage.work, "p.jsonl"), rows.toReversed().join("\n"));
    isDown = false;
    const before = server.requests.length;
    expect(await stage.run([...run, "--resume"])).toMatchObject({ code: 0 });
    expect(server.requests.length - before).toBe(1);
    expect(lines(await stage.read("data/r/trajectories.jsonl"))).toHaveLength(3);
  }, 60_000);
});
