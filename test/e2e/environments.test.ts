import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openTokenizer } from "../../src/environments/tokens/tokenizer.ts";
import { writeByteTokenizer } from "../fakes/byte-tokenizer.ts";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { openTokenServer } from "../fakes/token-server.ts";
import { ended, modelConfig, Stage } from "./support/stage.ts";

const lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const contents: Readonly<Record<string, string>> = {
  "greeting.txt": "Hello from Hermes Agent!",
  "count.txt": "1\n2\n3\n4\n5",
  "answer.txt": "580",
  "result.txt": "42",
};

/** A model that writes the files it is asked for, one of them not quite right and one wrong. */
async function startFileModel() {
  const server = await startModelServer();
  server.onRequest(({ messages }) => {
    if (messages.at(-1)?.["role"] !== "user") return says("Done.");
    const asked = String(messages.at(-1)?.["content"]);
    const name = Object.keys(contents).find((file) => asked.includes(file)) ?? "none.txt";
    return calls("terminal", { command: `printf '%s' '${contents[name]}' > ~/${name}` });
  });
  return server;
}

describe("hermes env", () => {
  it("process writes groups, trajectories and a page, and scores what the model left in its sandbox [50:7.1] [50:7.8.1] [50:7.8.2] [50:4.10.13] [50:4.3]", async () => {
    await using server = await startFileModel();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "out.jsonl": "" } });
    const ran = await stage.run(["env", "terminal-test", "process", "--env.data_path_to_save_groups", "out.jsonl"]);
    expect(ran).toMatchObject({ code: 0 });
    const groups = lines(await stage.read("out_1.jsonl"));
    expect(groups.map(({ scores }) => scores)).toEqual([
      [0.5, 0.5, 0.5],
      [1, 1, 1],
      [0, 0, 0],
    ]);
    expect(groups[0]).toMatchObject({
      advantages: null,
      generation_params: { temperature: 1 },
      inference_logprobs: null,
    });
    const trajectories = lines(await stage.read("out_1.trajectories.jsonl"));
    expect(trajectories).toHaveLength(9);
    expect(trajectories[0]).toMatchObject({
      reward: 0.5,
      metadata: { env: "terminal-test", turns_used: 2, finished_naturally: true },
    });
    expect(await stage.read("out_1.html")).toContain("<svg");
    expect(server.requests[0]?.systemText).toContain("terminal");
    const figures = lines(await stage.read("metrics_stream.jsonl")).at(-1);
    expect(figures).toMatchObject({ "train/avg_reward": 0.5, "train/total_rollouts": 9 });
    expect(figures?.["train/accuracy"]).toBeCloseTo(1 / 3);
    expect(figures?.["train/partial_match_rate"]).toBeCloseTo(1 / 3);
  }, 60_000);

  it("evaluate writes metrics, samples and a report, without secrets [50:4.10.15] [50:4.3] [50:9.4]", async () => {
    await using server = await startFileModel();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const server_ = ["--openai.base_url", server.chatBaseUrl, "--openai.model_name", "fake-model"];
    const ran = await stage.run([
      ...["env", "terminal-test", "evaluate", "--env.data_dir_to_save_evals", "evals"],
      ...[...server_, "--openai.api_key", "sk-very-secret-123456"],
    ]);
    expect(ran).toMatchObject({ code: 0 });
    const folder = path.join(stage.work, "evals");
    const metrics = JSON.parse(readFileSync(path.join(folder, "metrics.json"), "utf8")) as Record<string, never>;
    expect(metrics["results"]).toMatchObject({
      "atropos|terminal-test_eval|0": { "eval/accuracy": 1, "eval/num_samples": 1 },
    });
    expect(readdirSync(folder).filter((name) => name.startsWith("samples_"))).toHaveLength(1);
    expect(await stage.filesWith("sk-very-secret-123456", stage.work)).toEqual([]);
    expect(readFileSync(path.join(folder, "evaluate_config.yaml"), "utf8")).toContain('api_key: "***"');
  }, 60_000);

  it("shows in its report what a model said as words; the page runs only its own script and asks no other place for anything [50:9.9.8]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("<script>alert(1)</script>"));
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const run = ["env", "terminal-test", "evaluate", "--env.data_dir_to_save_evals", "evals"];
    expect(await stage.run(run)).toMatchObject({ code: 0 });
    const page = await stage.read("evals/report.html");
    expect(page).toContain("&#60;script&#62;alert(1)");
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/<script[^>]|<link|\ssrc=|@import|url\(|https?:/i);
    expect(page).toContain("<svg");
  }, 60_000);

  it("runs as many tools at once as tool_pool_size says, over all rollouts [30:REG-75]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) =>
      messages.at(-1)?.["role"] === "user"
        ? calls("terminal", { command: "date +%s%N; sleep 0.2; date +%s%N" })
        : says("Done."),
    );
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "out.jsonl": "" } });
    const groups = ["--env.data_path_to_save_groups", "out.jsonl"];
    const ran = await stage.run(["env", "terminal-test", "process", ...groups, "--env.tool_pool_size", "1"]);
    expect(ran).toMatchObject({ code: 0 });
    const spans = server.requests
      .flatMap(({ messages }) => (messages.at(-1)?.["role"] === "tool" ? [JSON.stringify(messages.at(-1))] : []))
      .map((text) => (text.match(/\d{19}/g) ?? []).map(BigInt))
      .sort(([left = 0n], [right = 0n]) => (left < right ? -1 : 1));
    expect(spans.length).toBe(9);
    for (const [index, [begin = 0n]] of spans.entries()) {
      const end = spans[index - 1]?.[1];
      if (end !== undefined) expect(begin >= end).toBe(true);
    }
  });

  it("ends a rollout at its last turn without another call [50:4.10.5]", async () => {
    await using server = await startModelServer();
    server.otherwise(calls("terminal", { command: "true" }));
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl, "agent:\n  api_max_retries: 1\n") });
    const run = [
      "env",
      "terminal-test",
      "process",
      "--env.total_steps=1",
      "--env.group_size=1",
      "--env.max_agent_turns",
      "3",
    ];
    expect(await stage.run(run)).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(3);
    expect(lines(await stage.read("data/terminal-test.trajectories.jsonl"))[0]).toMatchObject({
      metadata: { turns_used: 3, finished_naturally: false },
    });
  }, 60_000);

  it("refuses fields it does not know and flags for one of several servers [50:4.10.3] [50:4.2.4]", async () => {
    await using stage = await Stage.open({
      files: { "two.yaml": "openai:\n  - model_name: a\n  - model_name: b\nenv:\n  max_agent_turns: 60\n" },
    });
    const env = ["env", "terminal-test", "evaluate"];
    expect(await stage.run([...env, "--env.max_agent_turn", "5"])).toMatchObject({ code: 2 });
    for (const field of ["reasoning_effort", "eval_handling"])
      expect(await stage.run([...env, `--env.${field}`, "huge"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${field} cannot be "huge"; it is one of`),
      });
    expect(await stage.run([...env, "--agent.max_turns", "5"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no flag --agent.max_turns."),
    });
    expect(await stage.run([...env, "--fields", "two.yaml", "--openai.model_name", "x"])).toMatchObject({ code: 2 });
    const shown = await stage.run([
      ...env,
      "--fields",
      "two.yaml",
      "--env.enabled_toolsets",
      '["web"]',
      "--print-config",
      "--json",
    ]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ env: { max_agent_turns: 60, enabled_toolsets: ["web"] } });
    expect(await stage.run(["env", "hermes-swe", "evaluate", "--env.terminal_backend", "local"])).toMatchObject({
      code: 2,
    });
    const described = JSON.parse((await stage.run(["env", "describe", "terminal-test", "--json"])).stdout) as unknown;
    expect(described).toMatchObject({
      name: "terminal-test",
      fields: expect.arrayContaining([expect.objectContaining({ name: "group_size", type: "number", default: 3 })]),
    });
  }, 60_000);

  it("takes fields from its defaults, then from a file, then from flags, lists among them [50:4.2] [50:4.10.1] [50:4.10.2]", async () => {
    await using stage = await Stage.open({ files: { "own.yaml": "env:\n  max_agent_turns: 60\n" } });
    const fields = async (name: string, ...more: readonly string[]) => {
      const shown = await stage.run(["env", name, "evaluate", ...more, "--print-config", "--json"]);
      expect(shown, shown.stderr).toMatchObject({ code: 0 });
      return (JSON.parse(shown.stdout) as { readonly env: Record<string, unknown> }).env;
    };
    const defaults = await fields("terminal-test");
    const fromFile = await fields("terminal-test", "--fields", "own.yaml");
    expect(fromFile).toEqual({ ...defaults, max_agent_turns: 60 });
    expect(defaults["max_agent_turns"]).not.toBe(60);
    const fromFlag = await fields("terminal-test", "--fields", "own.yaml", "--env.max_agent_turns", "5");
    expect(fromFlag).toEqual({ ...defaults, max_agent_turns: 5 });
    const lists = ["--env.presets", '["fast_test"]', "--env.seeds", "[1]"];
    expect(await fields("yc-bench", ...lists)).toMatchObject({ presets: ["fast_test"], seeds: [1] });
  }, 60_000);

  it("keeps a large result whole in a file of the sandbox; every rollout has a home of its own [50:4.10.9] [50:4.10.10]", async () => {
    await using server = await startModelServer();
    const said: string[] = [];
    server.onRequest(({ messages }) => {
      const last = messages.at(-1);
      const text = String(last?.["content"]);
      if (last?.["role"] === "user")
        return calls("terminal", { command: "echo here >> ~/x.txt; printf 'a%.0s' $(seq 35000)" });
      const file = /\/[^\s"\\]*\.txt/.exec(text)?.[0];
      if (text.includes("<persisted-output>")) return calls("terminal", { command: `wc -c < ${file}; cat ~/x.txt` });
      said.push(text);
      return says("Done.");
    });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const sizes = ["--env.group_size=2", "--env.default_result_size_chars=20000"];
    const run = ["env", "terminal-test", "process", "--env.total_steps=1", ...sizes];
    expect(await stage.run(run)).toMatchObject({ code: 0 });
    expect(said).toHaveLength(2);
    for (const text of said) {
      expect(Number(/\d{5,}/.exec(text)?.[0])).toBeGreaterThanOrEqual(35_000);
      expect(text.match(/here/g)).toHaveLength(1);
    }
  }, 60_000);

  it("takes an environment of one's own from a file [50:4.1]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("4"));
    const source = `export const environment = {
  name: "sums", about: "Sums", config: { enabled_toolsets: [], group_size: 2, total_steps: 1, ensure_scores_are_not_same: false },
  async open() {
    return { next: () => "2 + 2", evaluation: ["2 + 2"], prompt: (item) => item,
      reward: async (_item, result) => (result.messages.at(-1).content === "4" ? 1 : 0) };
  },
};`;
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "sums.mjs": source } });
    expect(await stage.run(["env", "./sums.mjs", "process"])).toMatchObject({ code: 0 });
    expect(lines(await stage.read("data/sums.jsonl"))[0]).toMatchObject({ scores: [1, 1] });
  }, 60_000);

  it("serve feeds a trainer over the trajectory API until training is over, without a line of Python [50:5.3] [50:5.1] [50:10.1]", async () => {
    await using server = await startFileModel();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const api = stage.start(["rl-api", "--port", "0"]);
    const url = await new Promise<string>((resolve) => {
      api.stdout?.on("data", (text: Buffer) => resolve(/http:\S+/.exec(String(text))?.[0] ?? ""));
    });
    const ask = async (route: string, body?: unknown): Promise<Record<string, unknown>> => {
      const init =
        body === undefined
          ? {}
          : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      return (await (await fetch(`${url}${route}`, init)).json()) as Record<string, unknown>;
    };
    const serving = ended(
      stage.start([
        ...[
          "env",
          "terminal-test",
          "serve",
          "--env.rollout_server_url",
          url,
          "--env.group_size",
          "2",
          "--env.total_steps",
          "2",
        ],
        ...["--env.max_num_workers", "2", "--env.steps_per_eval", "0"],
      ]),
    );
    await ask("/register", {
      ...{ wandb_group: "g", wandb_project: "p", batch_size: 4, max_token_len: 512, checkpoint_dir: "", num_steps: 2 },
      ...{ save_checkpoint_interval: 0, starting_step: 0 },
    });
    const batches: Record<string, unknown>[][] = [];
    while (batches.length < 3) {
      const { batch } = await ask("/batch");
      if (Array.isArray(batch) && batch.length > 0) batches.push(batch as Record<string, unknown>[]);
      else await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await serving).toMatchObject({ code: 0 });
    for (const group of batches.flat()) {
      expect(group).toMatchObject({ env_id: 0, tokens: [expect.any(Array), expect.any(Array)] });
      expect(group["scores"]).toHaveLength(2);
    }
    expect(existsSync(path.join(stage.work, "unsent_groups.jsonl"))).toBe(false);
  }, 120_000);

  it("serve --protocol nemo-gym runs rows and always answers, with fresh results only [50:10.2] [50:10.3] [50:10.4.3] [50:10.4.4] [50:10.4.9]", async () => {
    await using model = await startFileModel();
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    const gym = stage.start(["env", "terminal-test", "serve", "--protocol", "nemo-gym", "--port", "0"]);
    const url = await new Promise<string>((resolve) => {
      gym.stdout?.on("data", (text: Buffer) => resolve(/http:\S+/.exec(String(text))?.[0] ?? ""));
    });
    const post = async (route: string, body: unknown) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const response = await fetch(`${url}${route}`, init);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const row = {
      _ng_task_index: 0,
      _ng_rollout_index: 1,
      reward: 7,
      _ng_failure_class: "old",
      responses_create_params: { input: "" },
    };
    const count = { prompt: "Create ~/count.txt", verify_path: "~/count.txt", expected_content: "1\n2\n3\n4\n5" };
    const good = await post("/run", { ...row, ...count });
    expect(good).toMatchObject({
      status: 200,
      body: { reward: 1, turns_used: 2, finished_naturally: true, _ng_task_index: 0 },
    });
    expect(good.body["_ng_failure_class"]).toBeUndefined();
    const output = (good.body["response"] as { output: Record<string, unknown>[] }).output;
    expect(output.map(({ type }) => type)).toEqual(["function_call", "function_call_output", "message"]);
    expect(output[0]?.["call_id"]).toBe(output[1]?.["call_id"]);
    expect(await post("/run", { ...row, _ng_rollout_id: "../x" })).toMatchObject({ status: 400 });
    const metrics = await post("/aggregate_metrics", { verify_responses: [{ reward: 1 }, { reward: 0 }] });
    expect(metrics.body).toMatchObject({ key_metrics: { "mean/reward": 0.5 } });
    await model[Symbol.asyncDispose]();
    expect(await post("/run", row)).toMatchObject({
      status: 200,
      body: { reward: 0, _ng_failure_class: "hermes_error", response: { output: [{ type: "message" }] } },
    });
  }, 120_000);

  it("process with a server that takes token ids trains on exactly what was sampled [50:5.7] [50:5.4]", async () => {
    await using stage = await Stage.open();
    const folder = path.join(stage.work, "tokenizer");
    await writeByteTokenizer(folder);
    const tokenizer = await openTokenizer(folder, { cwd: stage.work, env: {} });
    const call = JSON.stringify({
      name: "terminal",
      arguments: { command: "printf 'Hello from Hermes Agent' > ~/greeting.txt" },
    });
    const replies = [`I do it. ü\n<tool_call>\n${call}\n</tool_call><|im_end|>`, "It is done.<|im_end|>"];
    const sampled: { readonly input: readonly number[]; readonly ids: readonly number[] }[] = [];
    await using server = await openTokenServer((body) => {
      const input = (body["prompt"] as { prompt_token_ids: number[] }).prompt_token_ids;
      const text = tokenizer.decode(input).includes("tool_call>") ? replies[1] : replies[0];
      const ids = tokenizer.encode(text ?? "", { hasSpecialTokens: false });
      sampled.push({ input, ids });
      return {
        ...{ text: [text], finish_reasons: ["stop"], prompt_token_ids: input, token_ids: [ids] },
        logprobs: [ids.map((id, at) => [{ [id]: -at / 100, 999: -9 }])],
      };
    });
    const fields = ["--env.group_size", "1", "--env.total_steps", "1", "--env.tokenizer_name", "tokenizer"];
    const at = ["--openai.server_type", "vllm", "--openai.base_url", `${server.url}/v1`, "--openai.model_name", "m"];
    const ran = await stage.run(["env", "terminal-test", "process", ...fields, ...at]);
    expect(ran).toMatchObject({ code: 0 });
    const [group] = lines(await stage.read("data/terminal-test.jsonl"));
    expect(group?.["scores"]).toEqual([1]);
    const [first, second] = sampled;
    if (first === undefined || second === undefined) throw new Error(`the server was asked ${sampled.length} times`);
    // The second prompt goes on with the very ids of the first and its answer.
    expect(second.input.slice(0, first.input.length + first.ids.length)).toEqual([...first.input, ...first.ids]);
    const [tokens = [], masks = [], logprobs = []] = ["tokens", "masks", "inference_logprobs"].map(
      (name) => (group?.[name] as number[][] | undefined)?.[0],
    );
    expect(tokens).toEqual([...second.input, ...second.ids]);
    const added = second.input.length - first.input.length - first.ids.length;
    const masked = (count: number): number[] => Array.from({ length: count }, () => -100);
    expect(masks).toEqual([...masked(first.input.length), ...first.ids, ...masked(added), ...second.ids]);
    expect(logprobs.filter((one) => one !== 1)).toHaveLength(first.ids.length + second.ids.length);
    expect(logprobs[first.input.length + 2]).toBeCloseTo(-0.02);
  }, 60_000);
});
