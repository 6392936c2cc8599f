import { describe, expect, it } from "vitest";
import { readHint, repliesIn } from "./distillation.ts";
import { metricName, readReward } from "./terminal-bench.ts";
import { parseToml } from "./toml.ts";
import { efficiencyOf, overlap, readScore } from "./web-research.ts";
import { compositeScore, readCompany } from "./yc-bench-score.ts";

describe("scores", () => {
  it("of research fall with the number of turns [50:7.8.11]", () => {
    const scores = [5, 7, 10, 11, 14].map((turns) => Number(efficiencyOf(turns).toFixed(4)));
    expect(scores).toEqual([1, 0.84, 0.6, 0.28, 0]);
  });

  it("of an answer nobody judged are the words it shares [50:7.8.12] [50:7.6]", () => {
    expect(overlap("Django is written in Python", "Python powers Django").toFixed(1)).toBe("0.6");
    expect(readScore('```json\n{"score": 0.5, "reason": "x"}\n```')).toBe(0.5);
    expect(readScore('I say "score": 0.25 here')).toBe(0.25);
    expect(readScore('{"score": 7}')).toBeUndefined();
  });

  it("of tests are what they wrote [50:9.9.6] [50:7.8.6]", () => {
    expect(readReward('{"reward":0.25,"style":1}')).toEqual({ reward: 0.25, details: { style: 1 } });
    expect(readReward("1")).toEqual({ reward: 1, details: {} });
    expect(readReward("nothing")).toBeUndefined();
    expect(metricName("System Admin-Tools")).toBe("system_admin_tools");
  });

  it("task files are read [50:9.7]", () => {
    const text =
      '# c\nversion = "1.0"\n[metadata]\ncategory = "git"\ntags = ["a", "b",]\n[agent]\ntimeout_sec = 1_200.0 # s\n';
    expect(parseToml(text)).toEqual({
      version: "1.0",
      metadata: { category: "git", tags: ["a", "b"] },
      agent: { timeout_sec: 1200 },
    });
  });
});

describe("a company", () => {
  it("is scored by being alive and by its funds [50:7.8.9]", () => {
    const scores = [
      [25_000_000, true],
      [0, true],
      [-1, false],
      [250_000_000, true],
      [2_500_000_000, true],
      [25_000_000, false],
    ] as const;
    expect(scores.map(([fundsCents, survived]) => Number(compositeScore({ fundsCents, survived }).toFixed(4)))).toEqual(
      [0.5751, 0.5, 0, 0.7598, 1, 0.0751],
    );
  });

  it("whose database is missing did not survive [50:7.5]", async () => {
    expect(await readCompany(undefined)).toEqual({ fundsCents: 0, reason: "db_missing", survived: false });
  });
});

describe("a hint", () => {
  it("is taken from a positive judgement [50:7.8.14]", () => {
    expect(readHint("\\boxed{1}[HINT_START]use a set instead[HINT_END]")).toBe("use a set instead");
    expect(readHint("\\boxed{-1}")).toBeUndefined();
    expect(readHint("\\boxed{-1}[HINT_START]use a set instead[HINT_END]")).toBeUndefined();
    expect(readHint("\\boxed{1}[HINT_START]short[HINT_END]")).toBeUndefined();
  });

  it("belongs to a reply that something followed, cut where it is long [50:7.7]", () => {
    const messages = [
      { role: "user", content: "Do it." },
      { role: "assistant", content: "I try." },
      { role: "tool", tool_call_id: "1", tool_name: "terminal", content: "x".repeat(20) },
      { role: "tool", tool_call_id: "2", tool_name: "terminal", content: "y" },
      { role: "assistant", content: "Done." },
    ] as never;
    expect(repliesIn(messages, 5)).toMatchObject([{ reply: "I try.", next: "xxxxx\n---\ny" }]);
  });
});
