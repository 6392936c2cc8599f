import { get, request } from "node:http";
import { describe, expect, it } from "vitest";
import { calls, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { ended, modelConfig, Stage } from "./support/stage.ts";

type Line = Record<string, unknown>;

const lines = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

const esc = "\x1b";
const evaluate = ["env", "terminal-test", "evaluate", "--env.data_dir_to_save_evals", "evals"];

/** A model that writes the file it is asked for. */
async function startWriter(wrap: (reply: ReturnType<typeof says>) => ReturnType<typeof says> = (reply) => reply) {
  const server = await startModelServer();
  server.onRequest(({ messages }) =>
    wrap(
      messages.at(-1)?.["role"] === "user" ? calls("terminal", { command: "printf 42 > ~/result.txt" }) : says("Done."),
    ),
  );
  return server;
}

describe("a run of an environment", () => {
  it("is told as events, one JSON object per line, and nothing else on standard output [50:9.3] [50:9.9.10]", async () => {
    await using server = await startWriter();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const ran = await stage.run([...evaluate, "--ui", "json"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const events = lines(ran.stdout);
    expect(events.map(({ event }) => event)).toEqual([
      ...["run_started", "item_started", "turn", "tool", "turn", "item_finished", "metrics", "run_finished"],
    ]);
    const [started, , turn, tool, , finished, metrics] = events;
    expect(started).toMatchObject({ env: "terminal-test", what: "evaluate", model: "fake-model", total: 1 });
    expect(turn).toMatchObject({ turn: 1, api_ms: expect.any(Number), tokens: expect.any(Number) });
    expect(turn?.["tokens"]).toBeGreaterThan(0);
    expect(tool).toMatchObject({ name: "terminal", ok: true, preview: expect.stringContaining("result.txt") });
    expect(finished).toMatchObject({ reward: 1, passed: true, error: null });
    expect(metrics).toMatchObject({ metrics: { "eval/accuracy": 1 } });
    for (const { time } of events) expect(Number.isNaN(Date.parse(String(time)))).toBe(false);
    const processed = await stage.run(["env", "terminal-test", "process", "--env.total_steps", "1", "--ui", "json"]);
    expect(lines(processed.stdout)[0]).toMatchObject({ event: "run_started", what: "process", total: 3 });
    expect(lines(processed.stdout).filter(({ event }) => event === "item_finished")).toHaveLength(3);
  }, 60_000);

  it("is shown as figures that stay at the bottom of a terminal [50:9.3]", async () => {
    await using server = await startWriter();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const ran = await stage.run([...evaluate, "--ui", "screen"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain("terminal-test evaluate · fake-model");
    expect(ran.stderr).toMatch(/█+ 1\/1 · 1 passed \(100%, 95%: 21–100\)/);
    expect(ran.stderr).toMatch(/tokens .*model p50 /);
    // What was drawn is drawn over, and lines for people stay above it.
    expect(ran.stderr).toMatch(new RegExp(`${esc}\\[\\d+F${esc}\\[J1/1 \\[PASS\\]`));
  }, 60_000);

  it("is shown as a page on this machine that other sites cannot read [50:9.3]", async () => {
    await using server = await startWriter(slow);
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const program = stage.start([...evaluate, "--ui", "web"]);
    const done = ended(program);
    const url = await new Promise<string>((resolve) => {
      program.stderr?.on("data", (text: Buffer) => {
        const found = /shown at (http:\S+)/.exec(String(text))?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const page = await fetch(url);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain("page.js");
    const status = (options: { method?: string; headers?: Record<string, string> }): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request(new URL("/events", url), options, (response) => {
          response.destroy();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });
    expect(await status({ headers: { host: "evil.example" } })).toBe(421);
    expect(await status({ method: "POST" })).toBe(405);
    let text = "";
    const closed = new Promise<void>((resolve) => {
      get(new URL("/events", url), (response) => {
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", resolve).on("error", () => resolve());
      });
    });
    await server.received(1);
    server.release(Number.POSITIVE_INFINITY);
    expect(await done).toMatchObject({ code: 0 });
    await closed;
    const sent = text.split("\n\n").flatMap((block) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return name === undefined ? [] : [{ name, data: JSON.parse(data ?? "{}") as Line }];
    });
    expect(sent.filter(({ name }) => name === "run").map(({ data }) => data["event"])).toContain("item_finished");
    expect(sent.findLast(({ name }) => name === "progress")?.data).toMatchObject({
      ...{ title: "terminal-test evaluate", done: 1, total: 1, passed: 1, is_finished: true },
    });
  }, 60_000);
});

describe("hermes env doctor", () => {
  const look = async (stage: Stage, args: readonly string[]) => {
    const ran = await stage.run(["env", "doctor", ...args, "--json"]);
    const { checks } = JSON.parse(ran.stdout) as { checks: { name: string; state: string; detail: string }[] };
    return { code: ran.code, checks: Object.fromEntries(checks.map((check) => [check.name, check])) };
  };

  it("says what is there and what is missing before a model is asked anything [50:9.1] [50:9.9.9]", async () => {
    await using server = await startWriter();
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "rows.jsonl": '{"prompt":"p","test":"t"}\n' },
    });
    const good = await look(stage, ["terminal-test"]);
    expect(good.code).toBe(0);
    expect(good.checks).toMatchObject({
      "terminal local": { state: "ok" },
      disk: { detail: expect.stringContaining("free") },
      dataset: { state: "ok", detail: expect.stringContaining("1 item") },
      tokenizer: { state: "ok" },
      "model server": { state: "ok", detail: expect.stringContaining("fake-model") },
    });
    const vllm = [
      "--openai.server_type",
      "vllm",
      "--openai.base_url",
      "http://127.0.0.1:9/v1",
      "--openai.model_name",
      "m",
    ];
    const bad = await look(stage, ["hermes-swe", "--env.terminal_backend", "local", ...vllm]);
    expect(bad.code).toBe(1);
    expect(bad.checks).toMatchObject({
      "terminal local": { state: "failed", detail: expect.stringContaining("nobody has looked at") },
      dataset: { state: "failed", detail: expect.stringContaining("humanevalpack") },
      tokenizer: { state: "failed" },
      "model server": { state: "failed" },
    });
    const shown = await stage.run(["env", "doctor", "terminal-test"]);
    expect(shown.stdout).toMatch(/✓ dataset: built in: 1 item/);

    const noDocker = { env: { HERMES_DOCKER_BINARY: "/no/such/docker" } };
    const container = ["hermes-swe", "--env.dataset_name", "rows.jsonl"];
    const looked = await stage.run(["env", "doctor", ...container], noDocker);
    expect(looked).toMatchObject({ code: 1, stdout: expect.stringContaining("✗ terminal docker") });
    const refused = await stage.run(["env", ...container.slice(0, 1), "evaluate", ...container.slice(1)], noDocker);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("docker or podman") });
    expect(server.requests).toEqual([]);
  }, 90_000);
});
