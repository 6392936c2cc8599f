import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startCountingModel } from "../fakes/counting-model.ts";
import { freePort } from "../fakes/free-port.ts";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { requestText, startWandb, wandbKey } from "../fakes/wandb.ts";
import { ended, modelConfig, Stage } from "./support/stage.ts";

type Line = Record<string, unknown>;

const sums = `export const environment = {
  name: "sums", about: "Sums", config: { enabled_toolsets: [], group_size: 6, total_steps: 1, ensure_scores_are_not_same: false },
  async open() {
    return { next: () => "2 + 2", evaluation: ["2 + 2"], prompt: (item) => item,
      reward: async (_item, result) => (result.messages.at(-1).content === "4" ? 1 : 0) };
  },
};`;

/** Stands before a trajectory API and fails the first groups that are sent. */
async function startFailingFront(url: string, failures: number) {
  const seen = { failed: 0 };
  const server = createServer((request, response) => {
    void requestText(request).then((body) => {
      const isGroup = request.url === "/scored_data";
      if (isGroup && seen.failed < failures) {
        seen.failed += 1;
        response.writeHead(503).end();
        return;
      }
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const target = new URL(request.url ?? "/", url);
      const passed = ask(target, { method: request.method ?? "GET", headers });
      passed.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 500, { "content-type": "application/json" });
        answer.pipe(response);
      });
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get failed() {
      return seen.failed;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("the model servers of an environment", () => {
  it("share the rollouts, each asked no more at once than it takes, without one that is down [50:5.6] [50:4.2.3]", async () => {
    await using one = await startCountingModel(30);
    await using other = await startCountingModel(30);
    const server = (url: string): string =>
      `  - base_url: ${url}\n    model_name: m\n    api_key: k\n    num_max_requests_at_once: 1\n`;
    const down = `http://127.0.0.1:${await freePort()}/v1`;
    await using stage = await Stage.open({
      files: {
        "sums.mjs": sums,
        "servers.yaml": `openai:\n${server(down)}${server(one.baseUrl)}${server(other.baseUrl)}`,
      },
    });
    const ran = await stage.run(["env", "./sums.mjs", "process", "--fields", "servers.yaml"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(await stage.read("data/sums.jsonl"))).toMatchObject({ scores: [1, 1, 1, 1, 1, 1] });
    expect([one.seen, other.seen]).toEqual([
      { requests: 3, most: 1 },
      { requests: 3, most: 1 },
    ]);
    const metrics = JSON.parse(await stage.read("data/metrics_stream.jsonl")) as Line;
    expect(metrics).toHaveProperty("server/server_1_request_time_avg");
    expect(metrics).not.toHaveProperty("server/server_0_request_time_avg");
  }, 60_000);

  it("hear how much the model is to think, and results are as long as wanted [50:4.2.1] [50:4.2.2]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) =>
      messages.at(-1)?.["role"] === "user" ? calls("terminal", { command: "seq 1 2000" }) : says("4"),
    );
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "sums.mjs": sums } });
    const fields = {
      reasoning_effort: "low",
      custom_thinking_prompt: "Think in steps.",
      system_prompt: "You add numbers.",
      enabled_toolsets: '["terminal"]',
      group_size: "1",
      default_result_size_chars: "2000",
      preview_size_chars: "40",
    };
    const flags = Object.entries(fields).flatMap(([name, value]) => [`--env.${name}`, value]);
    const ran = await stage.run(["env", "./sums.mjs", "process", ...flags]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const [first, second] = server.requests;
    expect(first?.body).toMatchObject({ reasoning: { enabled: true, effort: "low" } });
    expect(first?.systemText).toBe("Think in steps.\n\nYou add numbers.");
    const result = String(second?.messages.at(-1)?.["content"]);
    expect(result).toContain("<persisted-output>");
    expect(result.length).toBeLessThan(400);
  }, 60_000);
});

describe("the metrics of an environment", () => {
  const environment = (url: string) => ({ WANDB_API_KEY: wandbKey, WANDB_BASE_URL: url, WANDB_PROJECT: "rl" });

  it("are drawn at Weights & Biases, with rollouts to read, and its key goes nowhere else [50:4.8]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("4"));
    await using wandb = await startWandb();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "sums.mjs": sums } });
    const run = ["env", "./sums.mjs", "process", "--env.total_steps", "2", "--env.group_size", "2"];
    const ran = await stage.run(run, { env: environment(wandb.url) });
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(wandb.refusals).toEqual([]);
    expect(wandb.runs).toHaveLength(1);
    expect(wandb.runs[0]).toMatchObject({ project: "rl" });
    expect(String(wandb.runs[0]?.["displayName"])).toMatch(/^sums-\d{4}-\d\d-\d\d-[a-z]{6}$/);
    expect(wandb.history.map(({ _step }) => _step)).toEqual([1, 2]);
    expect(wandb.history[1]).toMatchObject({
      "train/completion_lengths": expect.any(Number),
      "train_perf/task_duration_mean": expect.any(Number),
      "server/server_0_request_time_99p": expect.any(Number),
      "train/rollouts": { _type: "table-file", ncols: 2, nrows: 1 },
    });
    expect(wandb.tables[0]).toEqual({ columns: ["text", "score"], data: [["[USER]\n2 + 2\n\n[ASSISTANT]\n4", 1]] });
    expect(wandb.ends).toEqual([0]);
    expect(await stage.filesWith(wandbKey, stage.folder)).toEqual([]);
    const evaluated = await stage.run(["env", "./sums.mjs", "evaluate"], { env: environment(wandb.url) });
    expect(evaluated).toMatchObject({ code: 0 });
    expect(wandb.runs).toHaveLength(2);
  }, 60_000);

  it("stay on this machine without a key, and a service that is away disturbs nothing [50:4.8]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("4"));
    await using wandb = await startWandb();
    wandb.goAway();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "sums.mjs": sums } });
    expect(await stage.run(["env", "./sums.mjs", "process"], { env: environment(wandb.url) })).toMatchObject({
      code: 0,
    });
    const without = { ...environment(wandb.url), WANDB_API_KEY: "" };
    expect(await stage.run(["env", "./sums.mjs", "process"], { env: without })).toMatchObject({ code: 0 });
    expect(wandb.runs).toEqual([]);
    expect((await stage.read("data/metrics_stream.jsonl")).trim().split("\n")).toHaveLength(2);
  }, 60_000);
});

describe("an environment that feeds a trainer", () => {
  it("evaluates as training goes on, which stands still meanwhile, and sends again what the trainer could not take [50:5.3] [50:5.5]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("4"));
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "sums.mjs": sums } });
    const api = stage.start(["rl-api", "--port", "0"]);
    const url = await new Promise<string>((resolve) => {
      api.stdout?.on("data", (text: Buffer) => resolve(/http:\S+/.exec(String(text))?.[0] ?? ""));
    });
    const tell = async (route: string, body?: unknown): Promise<Line> => {
      const headers = { "content-type": "application/json" };
      const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
      return (await (await fetch(`${url}${route}`, init)).json()) as Line;
    };
    await using front = await startFailingFront(url, 3);
    const serve = ["env", "./sums.mjs", "serve", "--env.rollout_server_url", front.url, "--env.group_size", "2"];
    const fields = ["--env.total_steps", "3", "--env.max_num_workers", "1", "--env.steps_per_eval", "1"];
    const saves = ["--env.data_dir_to_save_evals", "evals", "--env.eval_handling", "STOP_TRAIN"];
    const serving = ended(stage.start([...serve, ...fields, ...saves]));
    await tell("/register", {
      ...{ wandb_group: "g", wandb_project: "p", batch_size: 4, max_token_len: 512, checkpoint_dir: "", num_steps: 3 },
      ...{ save_checkpoint_interval: 0, starting_step: 0 },
    });
    for (let batches = 0; batches < 4; ) {
      const { batch } = await tell("/batch");
      if (Array.isArray(batch) && batch.length > 0) batches += 1;
      else await new Promise((resolve) => setImmediate(resolve));
    }
    const served = await serving;
    expect(served, served.stderr).toMatchObject({ code: 0 });
    expect(served.stderr).toContain("evaluation begins");
    // The first group was refused three times, kept, and sent after the next one.
    expect(front.failed).toBe(3);
    expect(served.stdout).toMatch(/ 0 not taken$/m);
    expect(existsSync(path.join(stage.work, "unsent_groups.jsonl"))).toBe(false);
    expect(JSON.parse(await stage.read(path.join("evals", "metrics.json")))).toMatchObject({
      results: { all: { "eval/num_samples": 1 } },
    });
  }, 120_000);
});

describe("evaluations", () => {
  it("are compared task by task, and their pages are made again from their files [50:9.4]", async () => {
    await using stage = await Stage.open({ files: { "sums.mjs": sums } });
    const line = (task: number, reward: number): string =>
      JSON.stringify({
        task_name: `t${task}`,
        reward,
        passed: reward === 1,
        messages: [{ role: "user", content: "<b>" }],
      });
    const samples = (passed: readonly number[]): string =>
      Array.from({ length: 8 }, (_, task) => `${line(task, passed.includes(task) ? 1 : 0)}\n`).join("");
    for (const [name, passed] of [
      ["old", [0]],
      ["new", [1, 2, 3, 4, 5, 6]],
    ] as const) {
      await mkdir(path.join(stage.work, name));
      await writeFile(path.join(stage.work, name, "samples_1.jsonl"), samples(passed));
    }
    const compared = await stage.run(["env", "report", "old", "new", "--json"]);
    expect(compared, compared.stderr).toMatchObject({ code: 0 });
    const { runs } = JSON.parse(compared.stdout) as { runs: Line[] };
    expect(runs[1]).toMatchObject({
      common: 8,
      won: ["t1", "t2", "t3", "t4", "t5", "t6"],
      lost: ["t0"],
      passRate: 0.75,
    });
    // Seven tasks changed sides, one of them against: 2 · (1 + 7) / 2^7.
    expect(runs[1]?.["pValue"]).toBeCloseTo(0.125);
    expect(await stage.read("old/comparison.html")).toContain("Tasks that changed sides");
    expect(await stage.run(["env", "report", "new"])).toMatchObject({ code: 0 });
    expect(await stage.read("new/report.html")).toContain("&#60;b&#62;");
    expect(await stage.run(["env", "report", "nowhere"])).toMatchObject({ code: 2 });
  }, 60_000);

  it("take datasets by a pattern [50:9.6] [50:2.3]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Done."));
    const row = (name: string): string => `${JSON.stringify({ prompt: `do ${name}` })}\n`;
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "shards/a-1.jsonl": row("one"), "shards/a-2.jsonl": row("two"), "shards/b.jsonl": row("no") },
    });
    await stage.run(["batch", "--dataset-file", "shards/a-*.jsonl", "--run-name", "r"]);
    const asked = server.requests.map(({ messages }) => messages.at(-1)?.["content"]);
    expect(asked.toSorted()).toEqual(["do one", "do two"]);
    expect(await stage.run(["batch", "--dataset-file", "shards/x*.jsonl", "--run-name", "r2"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("No file matches"),
    });
  }, 60_000);
});
