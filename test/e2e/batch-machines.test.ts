import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findPostgres, startPostgres } from "../contracts/store/postgres-server.ts";
import { reply, says, startModelServer, thinks } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const found = findPostgres();
if (found.kind === "missing") process.stderr.write(`\nBatch runs over several machines are skipped: ${found.why}\n`);
const prompts = Array.from({ length: 24 }, (_, n) => `question number ${n}`);
const args = ["batch", "--dataset-file", "prompts.jsonl", "--batch-size", "2", "--num-workers", "2", "--run-name", "r"];
const answer = reply([thinks("Let me think."), says("Done.")]);

interface Line {
  readonly prompt_index: number;
}

/** Two machines: two homes, two folders, one database. */
async function machines(modelUrl: string, url: string) {
  const files = { "prompts.jsonl": prompts.map((prompt) => `${JSON.stringify({ prompt })}\n`).join("") };
  const config = modelConfig(modelUrl, `store:\n  url: ${JSON.stringify(url)}\n`);
  return [await Stage.open({ config, files }), await Stage.open({ config, files })] as const;
}

function results(stage: Stage) {
  const read = (name: string): string => readFileSync(path.join(stage.work, "data", "r", name), "utf8");
  const lines = read("trajectories.jsonl").trimEnd().split("\n");
  const indexes = lines.map((line) => (JSON.parse(line) as Line).prompt_index).sort((a, b) => a - b);
  return { indexes, statistics: JSON.parse(read("statistics.json")) as Record<string, unknown> };
}

const every = prompts.map((_, index) => index);
const askedFor = (bodies: readonly string[], prompt: string): number =>
  bodies.filter((body) => body.includes(`"${prompt}"`)).length;

describe.skipIf(found.kind === "missing")("a batch run on two machines", () => {
  it("does every prompt once, and both end with all of them and the same totals [50:9.5]", async () => {
    if (found.kind === "missing") return;
    await using postgres = await startPostgres(found.bin);
    await using model = await startModelServer({ strict: true });
    model.otherwise(answer);
    const [one, other] = await machines(model.chatBaseUrl, await postgres.fresh());
    await using _one = one;
    await using _other = other;
    const ran = await Promise.all([one.run(args), other.run(args)]);
    expect(ran.map(({ code }) => code)).toEqual([0, 0]);
    const bodies = model.requests.map(({ rawBody }) => rawBody);
    expect(prompts.map((prompt) => askedFor(bodies, prompt))).toEqual(prompts.map(() => 1));
    const [left, right] = [results(one), results(other)];
    expect(left.indexes).toEqual(every);
    expect(right.indexes).toEqual(every);
    expect(left.statistics).toMatchObject({ total_prompts: 24, failed_prompts: 0 });
    expect(right.statistics["tool_statistics"]).toEqual(left.statistics["tool_statistics"]);
    expect(right.statistics["reasoning_statistics"]).toEqual(left.statistics["reasoning_statistics"]);
  });

  it("goes on with what a machine had in hand when it died [50:9.5]", async () => {
    if (found.kind === "missing") return;
    await using postgres = await startPostgres(found.bin);
    await using model = await startModelServer({ strict: true });
    model.otherwise(answer);
    const [one, other] = await machines(model.chatBaseUrl, await postgres.fresh());
    await using _one = one;
    await using _other = other;
    const dying = one.start(args);
    const gone = new Promise((resolve) => dying.once("exit", resolve));
    await model.received(4);
    dying.kill("SIGKILL");
    await gone;
    const { code } = await other.run(args);
    expect(code).toBe(0);
    expect(results(other).indexes).toEqual(every);
  });
});

const source = `const items = Array.from({ length: 12 }, (_, n) => "item number " + n);
export const environment = {
  name: "own", about: "For a test", config: { enabled_toolsets: [] },
  async open() {
    return { next: () => undefined, evaluation: items, prompt: (item) => item, nameOf: (item) => item,
      reward: async (item) => (Number(item.split(" ").at(-1)) % 2 === 0 ? 1 : 0) };
  },
};`;

describe.skipIf(found.kind === "missing")("an evaluation on two machines", () => {
  it("attempts every item once, and both end with all of them and the totals of one [50:9.5]", async () => {
    if (found.kind === "missing") return;
    await using postgres = await startPostgres(found.bin);
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("Done."));
    const config = modelConfig(model.chatBaseUrl, `store:\n  url: ${JSON.stringify(await postgres.fresh())}\n`);
    const files = { "own.mjs": source };
    await using one = await Stage.open({ config, files });
    await using other = await Stage.open({ config, files });
    const evaluate = ["env", "./own.mjs", "evaluate", "--env.data_dir_to_save_evals", "evals"];
    const shared = [...evaluate, "--run-name", "r", "--env.max_eval_workers", "2"];
    const ran = await Promise.all([one.run(shared), other.run(shared)]);
    expect(ran.map(({ code }) => code)).toEqual([0, 0]);
    expect(model.requests).toHaveLength(12);
    for (const stage of [one, other]) {
      const metrics = JSON.parse(await stage.read("evals/metrics.json")) as { results: { all: object } };
      expect(metrics.results.all).toMatchObject({
        "eval/num_samples": 12,
        "eval/accuracy": 0.5,
        "eval/avg_reward": 0.5,
      });
    }
  });
});
