import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPostgres, type PostgresServer, startPostgres } from "../contracts/store/postgres-server.ts";
import { type ModelServer, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { ended, modelConfig, Stage } from "./support/stage.ts";

const found = findPostgres();
if (found.kind === "missing") process.stderr.write(`\nRuns over several machines are skipped: ${found.why}\n`);

type Line = Record<string, unknown>;

const lines = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

/** Items without end, in the same order on every machine. */
const source = `let at = 0;
export const environment = {
  name: "own", about: "For a test",
  config: { enabled_toolsets: [], group_size: 2, total_steps: 8, ensure_scores_are_not_same: false, include_messages: true },
  async open() {
    return { next: () => "item number " + at++, evaluation: [], prompt: (item) => item,
      reward: async (item) => Number(item.split(" ").at(-1)) % 3 };
  },
};`;

const items = (groups: readonly Line[]): unknown[] =>
  groups.map(({ messages }) => (messages as { content: unknown }[][])[0]?.[0]?.content);

describe.skipIf(found.kind === "missing")("an environment on two machines", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    if (found.kind !== "missing") postgres = await startPostgres(found.bin);
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  /** Machines with homes and folders of their own, on one database. */
  async function machines(model: ModelServer, count: number): Promise<Stage[]> {
    const store = `store:\n  url: ${JSON.stringify(await postgres.fresh())}\n`;
    const config = modelConfig(model.chatBaseUrl, store);
    return await Promise.all(Array.from({ length: count }, () => Stage.open({ config, files: { "own.mjs": source } })));
  }

  const process_ = ["env", "./own.mjs", "process", "--run-name", "r", "--json"];

  it("processes every group once, and both end with the groups of one machine alone [50:9.5] [50:9.9.3]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(slow(says("Done.")));
    const [one, other, alone] = await machines(model, 3);
    if (one === undefined || other === undefined || alone === undefined) throw new Error("no machines");
    await using _one = one;
    await using _other = other;
    await using _alone = alone;
    const running = Promise.all([one.run(process_), other.run(process_)]);
    // One machine asks twice, for the two rollouts of its group: four are two machines at work.
    await model.received(4);
    model.release(Number.POSITIVE_INFINITY);
    const ran = await running;
    expect(
      ran.map(({ code }) => code),
      ran[0].stderr + ran[1].stderr,
    ).toEqual([0, 0]);
    expect(model.requests).toHaveLength(16);
    const [left, right] = [lines(await one.read("data/own.jsonl")), lines(await other.read("data/own.jsonl"))];
    expect(items(left)).toEqual(Array.from({ length: 8 }, (_, n) => `item number ${n}`));
    expect(right).toEqual(left);
    const trajectories = lines(await one.read("data/own.trajectories.jsonl"));
    expect(lines(await other.read("data/own.trajectories.jsonl"))).toEqual(trajectories);
    const workers = new Set(trajectories.map(({ metadata }) => String((metadata as Line)["task_id"]).split("_g")[0]));
    expect(workers.size).toBe(2);

    const single = await alone.run(["env", "./own.mjs", "process", "--json"]);
    expect(lines(await alone.read("data/own.jsonl"))).toEqual(left);
    const totals = ({ stdout }: { readonly stdout: string }): unknown => (JSON.parse(stdout) as Line)["rewards"];
    expect(totals(ran[0])).toEqual(totals(single));
    expect(totals(ran[1])).toEqual(totals(single));
  }, 120_000);

  it("does the group that a machine had in hand when it died [50:9.5] [50:9.9.3]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(slow(says("Done.")));
    const [one, other] = await machines(model, 2);
    if (one === undefined || other === undefined) throw new Error("no machines");
    await using _one = one;
    await using _other = other;
    const few = [...process_, "--env.group_size", "1", "--env.total_steps", "5"];
    const dying = one.start(few);
    await model.received(1);
    dying.kill("SIGKILL");
    await once(dying, "exit");
    model.release(Number.POSITIVE_INFINITY);
    const ran = await other.run(few);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const groups = lines(await other.read("data/own.jsonl"));
    expect(groups.map(({ scores }) => scores)).toEqual([[0], [1], [2], [0], [1]]);
  }, 120_000);

  /** The meeting point of environments and a trainer, and the trainer's side of it. */
  async function trainer(stage: Stage, { steps }: { readonly steps: number }) {
    const api = stage.start(["rl-api", "--port", "0"]);
    const url = await new Promise<string>((resolve) => {
      api.stdout?.on("data", (text: Buffer) => resolve(/http:\S+/.exec(String(text))?.[0] ?? ""));
    });
    const ask = async (route: string, body?: unknown): Promise<Line> => {
      const headers = { "content-type": "application/json" };
      const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
      return (await (await fetch(`${url}${route}`, init)).json()) as Line;
    };
    await ask("/register", {
      ...{ wandb_group: "g", wandb_project: "p", batch_size: 4, max_token_len: 512, checkpoint_dir: "" },
      ...{ num_steps: steps, save_checkpoint_interval: 0, starting_step: 0 },
    });
    // The first one says that training has begun.
    await ask("/batch");
    return {
      url,
      async batch(): Promise<Line[]> {
        for (;;) {
          const { batch } = await ask("/batch");
          if (Array.isArray(batch) && batch.length > 0) return batch as Line[];
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    };
  }

  const said = (program: ChildProcess, words: string): Promise<void> =>
    new Promise((resolve) => {
      let text = "";
      program.stderr?.on("data", (chunk: Buffer) => {
        text += String(chunk);
        if (text.includes(words)) resolve();
      });
    });

  it("feeds one trainer: one machine talks to it, both work, and both end with the same totals [50:9.5]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(slow(says("Done.")));
    const [one, other] = await machines(model, 2);
    if (one === undefined || other === undefined) throw new Error("no machines");
    await using _one = one;
    await using _other = other;
    const { url, batch } = await trainer(one, { steps: 3 });
    const serve = [
      ...["env", "./own.mjs", "serve", "--run-name", "r", "--json", "--env.rollout_server_url", url],
      ...["--env.total_steps", "3", "--env.max_num_workers", "1", "--env.steps_per_eval", "0"],
    ];
    const running = Promise.all([one.run(serve), other.run(serve)]);
    await model.received(4);
    model.release(Number.POSITIVE_INFINITY);
    const groups = [...(await batch()), ...(await batch()), ...(await batch()), ...(await batch())];
    const ran = await running;
    expect(
      ran.map(({ code }) => code),
      ran[0].stderr + ran[1].stderr,
    ).toEqual([0, 0]);
    expect(ran.filter(({ stderr }) => stderr.includes("registered as"))).toHaveLength(1);
    expect(new Set(items(groups)).size).toBe(groups.length);
    const [left, right] = ran.map(({ stdout }) => JSON.parse(stdout) as Line);
    expect(left).toMatchObject({ unsent: 0 });
    expect(Number(left?.["sent"])).toBeGreaterThanOrEqual(groups.length);
    expect(right).toEqual(left);
  }, 180_000);

  it("feeds on when the machine that talked to the trainer dies, and sends no group twice [50:9.5] [50:9.9.4]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("Done."));
    const [one, other, third] = await machines(model, 3);
    if (one === undefined || other === undefined || third === undefined) throw new Error("no machines");
    await using _one = one;
    await using _other = other;
    await using _third = third;
    const { url, batch } = await trainer(third, { steps: 5 });
    const serve = [
      ...["env", "./own.mjs", "serve", "--run-name", "r", "--json", "--env.rollout_server_url", url],
      ...["--env.total_steps", "5", "--env.max_num_workers", "2", "--env.steps_per_eval", "0"],
    ];
    const leading = one.start(serve);
    await said(leading, "registered as");
    const helping = ended(other.start(serve));
    const groups = await batch();
    leading.kill("SIGKILL");
    await once(leading, "exit");
    for (let step = 1; step < 6; step += 1) groups.push(...(await batch()));
    const ran = await helping;
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining("registered as") });
    expect(new Set(items(groups)).size).toBe(groups.length);
  }, 180_000);

  it("stops on every machine when one of them is told to, and keeps what is done [50:9.5]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(slow(says("Done.")));
    const [one, other, third] = await machines(model, 3);
    if (one === undefined || other === undefined || third === undefined) throw new Error("no machines");
    await using _one = one;
    await using _other = other;
    await using _third = third;
    const running = Promise.all([one.run(process_), other.run(process_)]);
    await model.received(4);
    const cancelled = await third.run(["env", "cancel", "r"]);
    expect(cancelled, cancelled.stderr).toMatchObject({ code: 0 });
    expect((await running).map(({ code }) => code)).toEqual([130, 130]);
    // A run that begins later with the same name is another one.
    model.release(Number.POSITIVE_INFINITY);
    expect(await third.run(process_)).toMatchObject({ code: 0 });
  }, 180_000);

  it("wants a database that the machines share [50:9.5]", async () => {
    await using stage = await Stage.open({ files: { "own.mjs": source } });
    for (const what of ["process", "serve", "evaluate"])
      expect(await stage.run(["env", "./own.mjs", what, "--run-name", "r"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("store.url"),
      });
  }, 60_000);
});
