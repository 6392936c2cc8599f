import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { writeByteTokenizer } from "../fakes/byte-tokenizer.ts";
import { fails, type ModelServer, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const result = (n: number) => `<tool_response>\n{"name": "terminal", "content": "result ${n}"}\n</tool_response>`;
const call = (n: number) => `<tool_call>\n{"name": "terminal", "arguments": {"n": ${n}}}\n</tool_call>`;
const turns = [
  { from: "system", value: "You help." },
  { from: "human", value: "Count." },
  ...[0, 1, 2, 3, 4].flatMap((n) => [
    { from: "gpt", value: `${call(n)}${" thinking".repeat(20)}` },
    { from: "tool", value: result(n) },
  ]),
  { from: "gpt", value: "Done." },
];
const entry = (name: string) => `${JSON.stringify({ name, conversations: turns })}\n`;

interface Compressed {
  readonly name: string;
  readonly conversations: readonly { readonly from: string; readonly value: string }[];
  readonly compression_metrics?: object;
}
const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Compressed);

async function stageWith(model: ModelServer, files: Readonly<Record<string, string>>): Promise<Stage> {
  const stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files, env: "SUMMARY_KEY=sk-summary-91\n" });
  await writeByteTokenizer(path.join(stage.work, "tok"));
  return stage;
}

const settingsFor = (model: ModelServer): string => `tokenizer: {name: tok, trust_remote_code: true}
compression: {target_max_tokens: 900, summary_target_tokens: 60}
protected_turns: {first_tool: false, last_n_turns: 3}
summarization:
  {model: small, base_url: "${model.chatBaseUrl}", api_key_env: SUMMARY_KEY, temperature: 0.7, max_retries: 2, retry_delay: 0}
output: {summary_notice_text: " Some were cut.", output_suffix: _short}
metrics: {per_trajectory: false}
`;

describe("hermes compress-trajectories", () => {
  it("puts one summary of a model in the place of turns in the middle, as the file of options says [50:3.1] [50:3.2]", async () => {
    await using model = await startModelServer({ apiKey: "sk-summary-91" });
    await using stage = await stageWith(model, { "t.jsonl": entry("long"), "o.yaml": settingsFor(model) });
    model.script(says("did things"));
    const ran = await stage.run(["compress-trajectories", "--input", "t.jsonl", "--options", "o.yaml"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const [shortened] = linesOf(await stage.read("t_short.jsonl"));
    const left = shortened?.conversations ?? [];
    expect(left.slice(0, 3).map(({ from }) => from)).toEqual(["system", "human", "gpt"]);
    expect(left[0]?.value).toBe("You help. Some were cut.");
    const at = left.findIndex(({ value }) => value.startsWith("[CONTEXT SUMMARY]: did things"));
    expect(left[at]?.from).toBe("human");
    // Their own turns stay as they were, and none is a result without its call.
    expect(left.slice(at + 1)).toEqual(turns.slice(turns.length - (left.length - at - 1)));
    expect(left[at + 1]?.from).toBe("gpt");
    expect(shortened).not.toHaveProperty("compression_metrics");
    const asked = await model.received(1);
    expect(asked.body).toMatchObject({ model: "small", temperature: 0.7, max_tokens: 120 });
    expect(asked.headers["authorization"]).toBe("Bearer sk-summary-91");
    expect(JSON.stringify(asked.messages)).toContain("result 1");
    const metrics = JSON.parse(await stage.read("t_short_metrics.json")) as object;
    expect(metrics).toMatchObject({ summary: { trajectories_compressed: 1 }, summarization: { total_api_calls: 1 } });
  });

  it("leaves a sentence of its own where the model fails as often as allowed [50:3.5.5]", async () => {
    await using model = await startModelServer();
    await using stage = await stageWith(model, {
      "t.jsonl": entry("long"),
      "o.yaml": settingsFor(model).replace("max_retries: 2", "max_retries: 3"),
    });
    model.otherwise(fails(400));
    const ran = await stage.run(["compress-trajectories", "--input", "t.jsonl", "--options", "o.yaml"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(await stage.read("t_short.jsonl")).toContain("[CONTEXT SUMMARY]: [Summary generation failed");
    const metrics = JSON.parse(await stage.read("t_short_metrics.json")) as object;
    expect(metrics).toMatchObject({ summarization: { total_api_calls: 3, total_errors: 3 } });
  });

  it("needs no model for a list of what was called, and leaves out what is still too long where that is wanted [50:3.1] [50:3.2] [50:3.4]", async () => {
    await using model = await startModelServer();
    await using stage = await stageWith(model, {
      "in/a.jsonl": entry("a"),
      "in/b.jsonl": entry("b"),
      "o.yaml": "tokenizer: {name: tok}\nprocessing: {save_over_limit: false}\n",
    });
    const plain = ["compress-trajectories", "--input", "in", "--options", "o.yaml", "--summarizer", "none"];
    expect(await stage.run([...plain, "--target-max-tokens", "1600"])).toMatchObject({ code: 0 });
    const [a] = linesOf(await stage.read("in_compressed/a.jsonl"));
    const summary = a?.conversations.find(({ value }) => value.startsWith("[CONTEXT SUMMARY]:"));
    expect(summary?.value).toContain("Called terminal.");
    expect(summary?.value).toContain("result 1");
    expect(a?.compression_metrics).toMatchObject({ was_compressed: true, still_over_limit: false });
    expect(existsSync(path.join(stage.work, "in_compressed", "compression_metrics.json"))).toBe(true);
    expect(model.requests).toEqual([]);
    expect(await stage.run([...plain, "--target-max-tokens", "50"])).toMatchObject({ code: 0 });
    expect(await stage.read("in_compressed/b.jsonl")).toBe("");
  });

  it("says what of its options it does not know [50:3.2]", async () => {
    await using model = await startModelServer();
    await using stage = await stageWith(model, {
      "t.jsonl": entry("a"),
      "o.yaml": "compression: {target_max_token: 1}\n",
    });
    const ran = await stage.run(["compress-trajectories", "--input", "t.jsonl", "--options", "o.yaml"]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("did you mean target_max_tokens?");
  });
});
