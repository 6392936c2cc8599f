import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { startCountingModel } from "../fakes/counting-model.ts";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { requestText } from "../fakes/wandb.ts";
import { modelConfig, Stage } from "./support/stage.ts";

type Line = Record<string, unknown>;

const own = `export const environment = {
  name: "own", about: "Own", config: { enabled_toolsets: ["terminal"], group_size: 1 },
  async open() {
    return { next: () => ({ prompt: "Do it." }), evaluation: [], prompt: (item) => item.prompt, reward: async () => 1 };
  },
};`;

/** Hermes as an agent server, and how Gym asks it. */
async function gym(stage: Stage, flags: readonly string[] = []) {
  const server = stage.start(["env", "./own.mjs", "serve", "--protocol", "nemo-gym", "--port", "0", ...flags]);
  const url = await new Promise<string>((resolve) => {
    server.stdout?.on("data", (text: Buffer) => resolve(/http:\S+/.exec(String(text))?.[0] ?? ""));
  });
  return async (route: string, body: unknown, cookie?: string) => {
    const headers = { "content-type": "application/json", ...(cookie === undefined ? {} : { cookie }) };
    const response = await fetch(`${url}${route}`, { method: "POST", headers, body: JSON.stringify(body) });
    const set = response.headers.get("set-cookie")?.split(";")[0];
    return { status: response.status, body: (await response.json()) as Line, cookie: set };
  };
}

const items = (body: Line): Line[] => body["output"] as Line[];
const weather = { type: "function", name: "get_weather", parameters: { type: "object", properties: {} } };

/** A chat server that tells on each message which tokens it read and wrote, and keeps what it was asked. */
async function startTokenTeller(reply: (asked: number) => { message: Line; prompt: number[]; ids: number[] }) {
  const asked: Line[] = [];
  const server = createServer((request, response) => {
    void requestText(request).then((text) => {
      if (request.method === "POST") asked.push(JSON.parse(text) as Line);
      const { message, prompt, ids } = reply(asked.length);
      const logs = ids.map((_, at) => -(at + 1) / 10);
      const told = { prompt_token_ids: prompt, generation_token_ids: ids, generation_log_probs: logs };
      const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", ...message, ...told } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [choice] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const call = (id: string, command: string) => ({
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "terminal", arguments: JSON.stringify({ command }) } }],
});

describe("Hermes as an agent of NeMo Gym", () => {
  it("answers a question with every call of its own paired [50:10.4.1] [50:10.4.7]", async () => {
    await using model = await startModelServer();
    model.script(calls("terminal", { command: "echo hello > ~/greeting.txt" }), says("It is there."));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files: { "own.mjs": own } });
    const ask = await gym(stage);
    const { status, body } = await ask("/v1/responses", { input: "Create ~/greeting.txt", tools: [] });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(items(body).map(({ type }) => type)).toEqual(["function_call", "function_call_output", "message"]);
    expect(items(body)[0]?.["call_id"]).toBe(items(body)[1]?.["call_id"]);
    expect(body).toMatchObject({ object: "response", usage: { total_tokens: expect.any(Number) } });
    expect(await ask("/v1/responses", { input: [] })).toMatchObject({ status: 400 });
  }, 60_000);

  it("asks for the tools of Gym and goes on in the same sandbox with what they gave [50:10.4.2] [50:10.3]", async () => {
    await using model = await startModelServer();
    model.script(
      calls("terminal", { command: "echo here > kept.txt" }),
      calls("get_weather", { place: "Bern" }),
      calls("terminal", { command: "cat kept.txt" }),
      says("It rains here."),
    );
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files: { "own.mjs": own } });
    const ask = await gym(stage);
    const input: Line[] = [{ role: "user", content: "What is the weather?" }];
    const first = await ask("/v1/responses", { input, tools: [weather] });
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    expect(items(first.body).map(({ type }) => type)).toEqual([
      "function_call",
      "function_call_output",
      "function_call",
    ]);
    const open = items(first.body)[2] ?? {};
    expect(open).toMatchObject({ name: "get_weather", arguments: '{"place":"Bern"}' });
    const output = { type: "function_call_output", call_id: open["call_id"], output: "rain" };
    const more = { input: [...input, ...items(first.body), output], tools: [weather] };
    const second = await ask("/v1/responses", more, first.cookie);
    expect(second.status, JSON.stringify(second.body)).toBe(200);
    expect(items(second.body).map(({ type }) => type)).toEqual(["function_call", "function_call_output", "message"]);
    expect(String(items(second.body)[1]?.["output"])).toContain("here");
    expect(model.requests.at(2)?.messages.at(-1)).toMatchObject({ role: "tool", content: '{"result":"rain"}' });
    expect(model.requests).toHaveLength(4);
  }, 60_000);

  it("gives a policy its tokens back as they came and tells them once for each call; a break masks the sample [50:10.4.5] [50:10.4.6]", async () => {
    let isBroken = false;
    await using policy = await startTokenTeller((asked) =>
      asked % 2 === 1
        ? { message: call(`c${asked}`, "true"), prompt: [1, 2], ids: [3, 4] }
        : { message: { content: "Done." }, prompt: isBroken ? [9, 9, 9] : [1, 2, 3, 4, 5], ids: [6] },
    );
    await using stage = await Stage.open({ files: { "own.mjs": own } });
    const ask = await gym(stage, [
      ...["--openai.base_url", policy.baseUrl, "--openai.model_name", "m", "--openai.api_key", "k"],
      ...["--openai.server_type", "vllm", "--openai.token_source", "chat", "--env.thinking_mode", "true"],
    ]);
    const row = { _ng_task_index: 0, _ng_rollout_index: 0, responses_create_params: { input: "" } };
    const good = await ask("/run", row);
    expect(good.body, JSON.stringify(good.body)).toMatchObject({ reward: 1 });
    expect(good.body["mask_sample"]).toBeUndefined();
    const told = items(good.body["response"] as Line).filter((item) => "generation_token_ids" in item);
    expect(told).toEqual([
      expect.objectContaining({ type: "function_call", prompt_token_ids: [1, 2], generation_token_ids: [3, 4] }),
      expect.objectContaining({ type: "message", generation_token_ids: [6], generation_log_probs: [-0.1] }),
    ]);
    const second = policy.asked[1]?.["messages"] as Line[] | undefined;
    const sent = second?.find(({ role }) => role === "assistant");
    expect(sent).toMatchObject({ prompt_token_ids: [1, 2], generation_log_probs: [-0.1, -0.2] });
    expect(policy.asked[0]).toMatchObject({ chat_template_kwargs: { truncate_history_thinking: false } });
    isBroken = true;
    expect((await ask("/run", row)).body).toMatchObject({ mask_sample: true });
  }, 60_000);

  it("works on so many rows at once and no more [50:10.4.8]", async () => {
    await using model = await startCountingModel(30);
    await using stage = await Stage.open({ config: modelConfig(model.baseUrl), files: { "own.mjs": own } });
    const ask = await gym(stage, ["--env.max_num_workers", "3"]);
    const rows = Array.from({ length: 9 }, (_, index) => ask("/run", { _ng_task_index: index }));
    expect((await Promise.all(rows)).map(({ body }) => body["reward"])).toEqual(rows.map(() => 1));
    expect(model.seen).toEqual({ requests: 9, most: 3 });
  }, 60_000);

  it("lets a server of Gym say what a row was worth, by the cookies it gave [50:10.3]", async () => {
    const heard: { route: string; cookie: string; body: Line }[] = [];
    const resources = createServer((request, response) => {
      void requestText(request).then((text) => {
        const route = request.url ?? "";
        heard.push({ route, cookie: request.headers.cookie ?? "", body: JSON.parse(text) as Line });
        response.writeHead(200, { "content-type": "application/json", "set-cookie": "seed=7; Path=/" });
        response.end(JSON.stringify(route === "/verify" ? { reward: 0.25 } : {}));
      });
    });
    await new Promise<void>((resolve) => resources.listen(0, "127.0.0.1", resolve));
    const at = `http://127.0.0.1:${(resources.address() as AddressInfo).port}`;
    await using model = await startModelServer();
    model.otherwise(says("Done."));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files: { "own.mjs": own } });
    const ask = await gym(stage, ["--resources-server", at]);
    expect((await ask("/run", { prompt: "Score me." })).body).toMatchObject({ reward: 0.25, turns_used: 1 });
    expect(heard.map(({ route, cookie }) => [route, cookie])).toEqual([
      ["/seed_session", ""],
      ["/verify", "seed=7"],
    ]);
    expect(heard[1]?.body).toMatchObject({ response: { object: "response" } });
    resources.closeAllConnections();
    await new Promise((resolve) => resources.close(resolve));
    expect((await ask("/run", { prompt: "Score me." })).body).toMatchObject({
      reward: 0,
      _ng_failure_class: "hermes_error",
    });
  }, 60_000);
});
