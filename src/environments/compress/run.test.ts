import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { type CompressionDeps, failedSummary, markedSummary, turnsText } from "./compress.ts";
import { usualCompression } from "./options.ts";
import { type CompressionJob, compressFiles } from "./run.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-compress-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const roles = ["system", "human", "gpt", "tool", "gpt", "tool", "gpt", "tool", "gpt", "tool", "gpt", "gpt"];
const entry = (name: string, words: number) =>
  JSON.stringify({ name, conversations: roles.map((from) => ({ from, value: "w ".repeat(words).trim() })) });

const deps: CompressionDeps = {
  limits: {
    targetTokens: 100,
    summaryTokens: 5,
    protectedTurns: usualCompression.protected_turns,
    alignsToPairs: true,
  },
  notice: "",
  count: (text) => text.split(" ").length,
  summarize: () => Promise.resolve({ text: "[CONTEXT SUMMARY]: short", calls: 1, errors: 0 }),
};

async function run(lines: readonly string[], job: Partial<CompressionJob> = {}, more: Partial<CompressionDeps> = {}) {
  const input = path.join(folder, "t.jsonl");
  const output = path.join(folder, "t_compressed.jsonl");
  await writeFile(input, `${lines.join("\n")}\n`);
  const outcome = await compressFiles(
    {
      ...{ input, output, isFolder: false, metricsFile: path.join(folder, "m.json"), writesMetrics: true },
      ...{ dropsOverLimit: false, isDryRun: false, concurrency: 2, timeoutMs: 60_000 },
      ...{ now: () => new Date(0), onProgress: () => undefined },
      ...job,
    },
    { ...deps, ...more },
    never,
  );
  const names = async () =>
    (await readFile(output, "utf8"))
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { name: string }).name]));
  return { outcome, output, names };
}

describe("compressing a file", () => {
  it("leaves short ones and what is no conversation byte for byte as they were [50:3.5.3] [50:3.4]", async () => {
    const lines = [entry("short", 2).replace('"name":', '"weight": 1.0, "10": 1, "2": 2, "name":'), '{"name": "note"}'];
    const { outcome, output } = await run(lines);
    const [first, second] = (await readFile(output, "utf8")).split("\n");
    expect(first).toContain('{"weight": 1.0, "10": 1, "2": 2, "name": "short"');
    expect(second).toBe('{"name": "note"}');
    expect(outcome.metrics).toMatchObject([{ skipped_under_target: true }]);
  });

  it("leaves out one that takes too long and keeps the others in order [50:3.5.10]", async () => {
    let asked = 0;
    const { outcome, names } = await run(
      [entry("a", 20), entry("b", 20), entry("c", 20)],
      { timeoutMs: 50, concurrency: 1 },
      {
        summarize: () => {
          asked += 1;
          return asked === 2 ? new Promise(() => undefined) : Promise.resolve({ text: "s", calls: 1, errors: 0 });
        },
      },
    );
    expect(outcome.failed).toBe(1);
    expect(await names()).toEqual(["a", "c"]);
  });

  it("draws the same sample for the same number, and writes nothing on a dry run [50:3.5.6] [50:3.5.7]", async () => {
    const lines = ["a", "b", "c", "d", "e"].map((name) => entry(name, 1));
    const first = await (await run(lines, { sample: { percent: 10, seed: 42 } })).names();
    expect(first).toHaveLength(1);
    expect(await (await run(lines, { sample: { percent: 10, seed: 42 } })).names()).toEqual(first);
    await rm(path.join(folder, "t_compressed.jsonl"));
    const { outcome, output } = await run(lines, { isDryRun: true });
    expect(outcome.files).toEqual([]);
    await expect(readFile(output)).rejects.toThrow("ENOENT");
  });

  it("marks a summary once and cuts what is asked about [50:3.5.4] [50:3.5.9]", () => {
    expect(markedSummary(" did things\n")).toBe("[CONTEXT SUMMARY]: did things");
    expect(markedSummary("[CONTEXT SUMMARY]: x")).toBe("[CONTEXT SUMMARY]: x");
    expect(markedSummary("")).toBe("[CONTEXT SUMMARY]:");
    expect(failedSummary).toMatch(/^\[CONTEXT SUMMARY\]: /);
    const text = turnsText([{ from: "tool", value: `${"a".repeat(2000)}${"b".repeat(2000)}` }], 4);
    expect(text).toBe(`[Turn 4 - TOOL]:\n${"a".repeat(1500)}\n...[truncated]...\n${"b".repeat(500)}`);
  });
});
