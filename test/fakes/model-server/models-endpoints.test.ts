import { describe, expect, test } from "vitest";
import { type LocalServer, type ModelServerOptions, startModelServer } from "./index.ts";

async function questions(options: ModelServerOptions, list: readonly string[], headers: Record<string, string> = {}) {
  await using server = await startModelServer(options);
  const answers: unknown[] = [];
  for (const question of list) {
    const [method = "GET", path = "/", body] = question.split(" ");
    const response = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    answers.push(response.ok ? await response.json() : response.status);
    if (!response.ok) await response.text();
  }
  return answers;
}

const models = [{ id: "m", displayName: "Model M", contextLength: 131_072, maxOutputTokens: 8_192 }];
const everywhere = ["/api/tags", "/api/v0/models", "/api/v1/models", "/props", "/v1/props", "/version", "/health"];

describe("model lists", () => {
  test("are OpenAI's by default, and nothing else is served", async () => {
    const [list, one, none, ...rest] = await questions({ models }, [
      "GET /v1/models",
      "GET /v1/models/m",
      "GET /v1/models/x",
      ...everywhere.map((path) => `GET ${path}`),
    ]);
    const entry = { id: "m", object: "model", created: 1_700_000_000, owned_by: "fake" };
    expect(list).toEqual({ object: "list", data: [entry] });
    expect(one).toEqual(entry);
    expect([none, ...rest]).toEqual(Array.from({ length: 8 }, () => 404));
  });

  test("are Anthropic's for clients that send its version header", async () => {
    const [list] = await questions({ models }, ["GET /v1/models"], { "anthropic-version": "2023-06-01" });
    expect(list).toEqual({
      data: [
        {
          type: "model",
          id: "m",
          display_name: "Model M",
          created_at: "2025-01-01T00:00:00Z",
          max_input_tokens: 131_072,
          max_tokens: 8_192,
        },
      ],
      has_more: false,
      first_id: "m",
      last_id: "m",
    });
  });

  test("carry the window under OpenRouter's name and under any other", async () => {
    const [list] = await questions({ models, chatDialect: "openrouter" }, ["GET /api/v1/models"]);
    expect(list).toMatchObject({ data: [{ id: "m", name: "Model M", context_length: 131_072 }] });
    const [extra] = await questions({ models: [{ id: "m", extra: { n_ctx_train: 4096 } }] }, ["GET /v1/models"]);
    expect(extra).toMatchObject({ data: [{ id: "m", n_ctx_train: 4096 }] });
  });

  test("Ollama answers tags, show and version", async () => {
    const ollama = (numCtx?: number): LocalServer => ({ kind: "ollama", ...(numCtx === undefined ? {} : { numCtx }) });
    const [tags, show, missing, version, props] = await questions({ models, localServer: ollama(16_384) }, [
      "GET /api/tags",
      'POST /api/show {"model":"m"}',
      'POST /api/show {"model":"x"}',
      "GET /api/version",
      "GET /props",
    ]);
    expect(tags).toMatchObject({ models: [{ name: "m", model: "m" }] });
    expect(show).toMatchObject({
      parameters: "num_ctx                        16384",
      model_info: { "fake.context_length": 131_072 },
    });
    expect([missing, version, props]).toEqual([404, { version: "0.12.0" }, 404]);
    const [plain] = await questions({ models, localServer: ollama() }, ['POST /api/show {"name":"m"}']);
    expect(plain).toMatchObject({ parameters: "" });
  });

  test("LM Studio answers both of its lists", async () => {
    const [v0, v1] = await questions({ models, localServer: { kind: "lm-studio", loadedContextLength: 8192 } }, [
      "GET /api/v0/models",
      "GET /api/v1/models",
    ]);
    expect(v0).toEqual({
      object: "list",
      data: [
        {
          id: "m",
          object: "model",
          type: "llm",
          state: "loaded",
          max_context_length: 131_072,
          loaded_context_length: 8192,
        },
      ],
    });
    expect(v1).toMatchObject({
      models: [
        { key: "m", max_context_length: 131_072, loaded_instances: [{ id: "m", config: { context_length: 8192 } }] },
      ],
    });
  });

  test("llama.cpp and vLLM answer theirs", async () => {
    const [props, v1, health] = await questions({ models, localServer: { kind: "llama-cpp", contextSize: 4096 } }, [
      "GET /props",
      "GET /v1/props",
      "GET /health",
    ]);
    expect(props).toMatchObject({ default_generation_settings: { n_ctx: 4096 }, model_path: "m" });
    expect([v1, health]).toEqual([props, { status: "ok" }]);
    const [version, list] = await questions({ models, localServer: { kind: "vllm", version: "0.9.1" } }, [
      "GET /version",
      "GET /v1/models",
    ]);
    expect(version).toEqual({ version: "0.9.1" });
    expect(list).toMatchObject({ data: [{ id: "m", max_model_len: 131_072, owned_by: "vllm" }] });
  });
});
