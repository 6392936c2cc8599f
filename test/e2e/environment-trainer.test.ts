import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

/** A large prompt makes a body worth packing; a small one goes as it is. */
const environment = (prompt: string) => `export const environment = {
  name: "sums", about: "Sums", config: { group_size: 2, ensure_scores_are_not_same: false },
  async open() { return { next: () => ${JSON.stringify(prompt)}, evaluation: [], prompt: (item) => item, reward: async () => 1 }; },
};`;

interface Heard {
  readonly route: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

type Answer = { readonly status?: number; readonly body: unknown };
type Count = (route: string) => number;

/** A trajectory API whose answers a test writes; every request is kept. */
async function startTrainer(answers: Readonly<Record<string, (nth: number, heardOf: Count) => Answer>>) {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const sent = Buffer.concat(pieces);
      const plain = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      const route = `${request.method ?? ""} ${request.url ?? ""}`;
      heard.push({ route, headers: request.headers, body: plain.length === 0 ? undefined : JSON.parse(String(plain)) });
      const heardOf: Count = (wanted) => heard.filter((one) => one.route === wanted).length;
      const { status = 200, body } = answers[route]?.(heardOf(route), heardOf) ?? { body: {} };
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (route: string) => heard.filter((one) => one.route === route),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const registered = { status: "success", env_id: 0, starting_step: 0, num_steps: 2, checkpoint_interval: 0 };
const usual = {
  "GET /info": () => ({ body: { batch_size: 128, max_token_len: 4096 } }),
  "GET /wandb_info": () => ({ body: { project: "p", group: "g" } }),
  "POST /register-env": () => ({ body: registered }),
};
const status = (isOver: boolean): Answer => ({
  body: {
    ...{ current_step: isOver ? 9 : 0, queue_size: 0, self_queue_size: 0 },
    ...{ max_group_size: 2, unallocated_fraction: 1, env_weight: 1 },
  },
});
const serve = (url: string, ...more: readonly string[]) => [
  ...["env", "./sums.mjs", "serve", "--env.rollout_server_url", url, "--env.total_steps", "1"],
  ...["--env.max_num_workers", "1", "--env.steps_per_eval", "0", ...more],
];

describe("an environment that feeds a trainer", () => {
  it("waits for it, asks by GET with a body, packs what is large and sends again what met an error of the server [50:5.8.1] [50:5.8.2] [50:5.8.5] [50:5.8.6]", async () => {
    await using model = await startModelServer();
    model.otherwise(says("4"));
    await using trainer = await startTrainer({
      ...usual,
      "POST /register-env": (nth) => ({ body: nth < 3 ? { status: "wait for trainer to start" } : registered }),
      "GET /status-env": (_, heardOf) => status(heardOf("POST /scored_data") >= 3),
      "POST /scored_data": (nth) => (nth < 3 ? { status: 500, body: {} } : { body: { status: "received" } }),
    });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      files: { "sums.mjs": environment("2 + 2 ".repeat(2_000)) },
    });
    const ran = await stage.run(serve(trainer.url));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(trainer.of("POST /register-env")).toHaveLength(3);
    const [asked] = trainer.of("GET /status-env");
    expect(asked).toMatchObject({ body: { env_id: 0 }, headers: { "content-length": "12" } });
    const sent = trainer.of("POST /scored_data");
    expect(sent.map(({ headers }) => headers["content-encoding"])).toEqual(["gzip", "gzip", "gzip"]);
    expect(sent[1]?.body).toEqual(sent[0]?.body);
    expect(trainer.of("POST /register-env")[0]?.headers["content-encoding"]).toBeUndefined();
  }, 60_000);

  it("does not send again what was refused [50:5.8.6]", async () => {
    await using model = await startModelServer();
    model.otherwise(says("4"));
    await using trainer = await startTrainer({
      ...usual,
      "GET /status-env": (_, heardOf) => status(heardOf("POST /scored_data") >= 1),
      "POST /scored_data": () => ({ status: 422, body: { detail: "no" } }),
    });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      files: { "sums.mjs": environment("2 + 2") },
    });
    await stage.run(serve(trainer.url));
    expect(trainer.of("POST /scored_data")).toHaveLength(1);
  }, 60_000);

  it("does not begin with groups that are larger than a batch [50:5.8.14]", async () => {
    await using model = await startModelServer();
    await using trainer = await startTrainer(usual);
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      files: { "sums.mjs": environment("2 + 2") },
    });
    const ran = await stage.run(serve(trainer.url, "--env.group_size", "256"));
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/256[\s\S]*128/) });
    expect(model.requests).toEqual([]);
  }, 60_000);
});

describe("the trajectory API", () => {
  it("keeps the large id of a trainer exactly [50:5.8.15]", async () => {
    await using stage = await Stage.open();
    const api = stage.start(["rl-api", "--port", "0"]);
    const url = await new Promise<string>((resolve) => {
      api.stdout?.on("data", (text: Buffer) => resolve(/http:\S+/.exec(String(text))?.[0] ?? ""));
    });
    const trainer = {
      ...{ wandb_group: "g", wandb_project: "p", batch_size: 4, max_token_len: 512, checkpoint_dir: "", num_steps: 2 },
      ...{ save_checkpoint_interval: 0, starting_step: 0 },
    };
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/register`, { method: "POST", headers, body: JSON.stringify(trainer) });
    // A number of 128 bits, digit for digit: no parser of ours has rounded it.
    const [, id = "0"] = /^\{"uuid":(\d+)\}$/.exec(await answer.text()) ?? [];
    expect(BigInt(id)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
    expect(String(Number(id))).not.toBe(id);
  }, 60_000);
});
