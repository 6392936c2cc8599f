import { describe, expect, test } from "vitest";
import { startModelServer } from "../../../test/fakes/model-server/index.ts";
import { LocalDetection } from "../providers/local/local-detection.ts";
import { headersFor, openWorld, refused, resolved } from "./testing/world.ts";

const key = "sk-0123456789abcdef";

describe("the person's own endpoint", () => {
  test("[20:R3.9] a saved endpoint works without the variable, and the variable never replaces it", async () => {
    const settings = { model: { provider: "custom", base_url: "http://localhost:8000/v1", default: "qwen" } };
    using without = openWorld({ settings });
    using withVariable = openWorld({ settings, env: { OPENAI_BASE_URL: "http://10.0.0.9:1/v1" } });
    for (const world of [without, withVariable]) {
      expect((await resolved({}, world.context)).target).toMatchObject({
        provider: "custom",
        baseUrl: "http://localhost:8000/v1",
        model: "qwen",
        isLocal: true,
      });
    }
  });

  test("[20:A3.3][20:R3.10] an endpoint of the environment works when nothing is saved, without OpenAI's key until somebody names it", async () => {
    const env = { OPENAI_BASE_URL: "http://10.0.0.5:8000/v1", OPENAI_API_KEY: "key-k" };
    using world = openWorld({ env });
    const { target, notices } = await resolved({ model: "m" }, world.context);
    expect([target.provider, target.baseUrl]).toEqual(["custom", "http://10.0.0.5:8000/v1"]);
    expect(JSON.stringify(await headersFor(target, "http://10.0.0.5:8000/v1/chat/completions"))).not.toContain("key-k");
    expect(notices.join()).toContain("providers.custom.key_env OPENAI_API_KEY");
    using named = openWorld({ settings: { providers: { custom: { key_env: "OPENAI_API_KEY" } } }, env });
    const chosen = (await resolved({ model: "m" }, named.context)).target;
    expect(chosen.source).toBe("env:OPENAI_API_KEY");
    expect(await headersFor(chosen, "http://10.0.0.5:8000/v1/chat/completions")).toEqual({
      Authorization: "Bearer key-k",
    });
  });

  test("[20:A3.4][20:R3.13] the same environment with a saved provider: one warning and nothing else", async () => {
    using world = openWorld({
      settings: { model: { provider: "zai" } },
      env: { OPENAI_BASE_URL: "http://10.0.0.5:8000/v1", OPENAI_API_KEY: "key-k", GLM_API_KEY: key },
    });
    const first = await resolved({}, world.context);
    const second = await resolved({}, world.context);
    expect(first.target.baseUrl).toBe("https://api.z.ai/api/paas/v4");
    expect(first.notices.filter((notice) => notice.includes("OPENAI_BASE_URL"))).toHaveLength(1);
    expect(second.notices).toEqual([]);
  });

  test("[20:R3.12] an address belongs to the provider saved beside it; custom trusts a foreign one only when it is local", async () => {
    const env = { DEEPSEEK_API_KEY: key, OPENROUTER_API_KEY: key };
    using remote = openWorld({
      settings: { model: { provider: "deepseek", base_url: "https://proxy.example.com/v1" } },
      env,
    });
    expect((await resolved({}, remote.context)).target.baseUrl).toBe("https://proxy.example.com/v1");
    expect((await resolved({ provider: "openrouter" }, remote.context)).target.baseUrl).toBe(
      "https://openrouter.ai/api/v1",
    );
    expect(await refused({ provider: "custom", model: "m" }, remote.context)).toMatchObject({
      code: "missing_base_url",
    });
    using local = openWorld({ settings: { model: { provider: "deepseek", base_url: "http://localhost:9/v1" } }, env });
    expect((await resolved({ provider: "custom", model: "m" }, local.context)).target.baseUrl).toBe(
      "http://localhost:9/v1",
    );
  });

  test("[20:R2.6][20:R3.11] it is called custom, also when OpenRouter's key is there", async () => {
    using world = openWorld({
      settings: { model: { provider: "custom", base_url: "https://openrouter.ai/api/v1", default: "x/y" } },
      env: { OPENROUTER_API_KEY: key },
    });
    const { target } = await resolved({}, world.context);
    expect([target.provider, target.source]).toEqual(["custom", "env:OPENROUTER_API_KEY"]);
  });

  test("[20:A2.4] a named endpoint with its own key, window and wire", async () => {
    const custom_providers = [
      {
        name: "local",
        base_url: "http://localhost:8080/v1",
        api_key: "own-key",
        models: { "qwen-2.5": { context_length: 40_000, max_tokens: 2000 } },
      },
    ];
    using world = openWorld({ settings: { custom_providers } });
    const { target } = await resolved({ provider: "custom:local", model: "qwen-2.5" }, world.context);
    expect(target).toMatchObject({
      provider: "custom:local",
      providerLabel: "local",
      model: "qwen-2.5",
      limits: { contextWindow: 40_000, defaultOutputTokens: 2000 },
    });
    expect(await headersFor(target, "http://localhost:8080/v1/x")).toEqual({ Authorization: "Bearer own-key" });
  });

  test("[20:R2.9] without a key no header is sent at all", async () => {
    using world = openWorld({});
    const { target } = await resolved({ baseUrl: "https://models.example.com/v1", model: "m" }, world.context);
    expect(await headersFor(target, "https://models.example.com/v1/x")).toEqual({});
    expect(target.credential.id).toBe("none");
  });

  test("[20:R2.10] the only model there is needs no name; of several one must be named", async () => {
    await using one = await startModelServer({ models: [{ id: "the-one" }] });
    await using two = await startModelServer({ models: [{ id: "a" }, { id: "b" }] });
    using world = openWorld({});
    expect((await resolved({ baseUrl: one.chatBaseUrl }, world.context)).target.model).toBe("the-one");
    const failure = await refused({ baseUrl: two.chatBaseUrl }, world.context);
    expect(failure).toMatchObject({ code: "model_not_found", message: expect.stringContaining("a, b") });
  });

  test("[20:R1.60] [20:A6.3] Ollama: the real window is found and asked for, and nothing gives up on it", async () => {
    await using server = await startModelServer({
      models: [{ id: "qwen3:27b", contextLength: 40_960 }],
      localServer: { kind: "ollama", numCtx: 16_384 },
    });
    using world = openWorld({});
    const detection = new LocalDetection(world.clock);
    const { target } = await resolved(
      { provider: "ollama", baseUrl: server.chatBaseUrl },
      { ...world.context, detectLocal: detection.detect },
    );
    expect(target).toMatchObject({
      provider: "custom",
      model: "qwen3:27b",
      limits: { contextWindow: 16_384 },
      quirks: { extraBody: { options: { num_ctx: 16_384 } } },
      timeouts: { totalMs: 1_800_000, streamReadMs: 1_800_000, streamStaleMs: 0, wholeStaleMs: 0 },
    });
    const asked = server.probes.length;
    await resolved(
      { provider: "ollama", baseUrl: server.chatBaseUrl, model: "qwen3:27b" },
      { ...world.context, detectLocal: detection.detect },
    );
    expect(server.probes.length).toBe(asked);
  });

  test("a server named without an address is looked for at its usual port", async () => {
    using world = openWorld({});
    expect((await resolved({ provider: "lmstudio", model: "m" }, world.context)).target.baseUrl).toBe(
      "http://127.0.0.1:1234/v1",
    );
  });

  test("[20:R1.17] [20:A1.1] a query in the address goes with every request", async () => {
    using world = openWorld({});
    const { target } = await resolved(
      { baseUrl: "https://x.openai.azure.com/openai/v1/?api-version=2025-01-01", model: "gpt-5.4" },
      world.context,
    );
    expect([target.baseUrl, target.query, target.protocol, target.quirks.outputLimitField]).toEqual([
      "https://x.openai.azure.com/openai/v1",
      { "api-version": "2025-01-01" },
      "chat_completions",
      "max_completion_tokens",
    ]);
  });

  test("something that is no address is told as such", async () => {
    using world = openWorld({ settings: { model: { provider: "custom", base_url: "localhost:8000", default: "m" } } });
    expect(await refused({}, world.context)).toMatchObject({ code: "invalid_base_url" });
  });
});
