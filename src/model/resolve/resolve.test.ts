import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/abort";
import { Secret } from "#foundation/secret";
import { startModelServer } from "../../../test/fakes/model-server/index.ts";
import { withAcceptedNotice, withActiveProvider } from "../credentials/auth-state.ts";
import { LocalDetection } from "./local-detection.ts";
import { headersFor, openWorld, refused, resolved } from "./testing/world.ts";

const key = "sk-0123456789abcdef";

describe("what was asked for, saved, exported", () => {
  test("[20:A3.2] a saved provider wins over an exported one; an argument wins over both", async () => {
    const env = {
      HERMES_INFERENCE_PROVIDER: "openrouter",
      ANTHROPIC_API_KEY: "sk-ant-api-1234567",
      OPENROUTER_API_KEY: key,
    };
    using world = openWorld({ settings: { model: { provider: "anthropic" } }, env });
    expect((await resolved({}, world.context)).target.provider).toBe("anthropic");
    expect((await resolved({ provider: "openrouter" }, world.context)).target.provider).toBe("openrouter");
  });

  test("[20:R3.5] the exported provider counts when nothing was saved", async () => {
    using world = openWorld({
      settings: { model: { provider: "auto" } },
      env: { HERMES_INFERENCE_PROVIDER: "zai", GLM_API_KEY: key, OPENROUTER_API_KEY: key },
    });
    expect((await resolved({}, world.context)).target).toMatchObject({ provider: "zai", model: "glm-5.1" });
  });

  test("[20:R3.5] the model: argument, saved, environment for one-shot runs, the provider's first", async () => {
    const env = { DEEPSEEK_API_KEY: key, HERMES_INFERENCE_MODEL: "deepseek-reasoner" };
    using saved = openWorld({ settings: { model: { provider: "deepseek", default: "deepseek-v4-lite" } }, env });
    using empty = openWorld({ settings: { model: "deepseek-v4-lite" }, env });
    using bare = openWorld({ settings: { model: { provider: "deepseek" } }, env });
    const model = async (wish: object, world: typeof bare): Promise<string> =>
      (await resolved(wish, world.context)).target.model;
    expect(await model({ model: "deepseek-chat" }, saved)).toBe("deepseek-chat");
    expect(await model({}, saved)).toBe("deepseek-v4-lite");
    expect(await model({}, empty)).toBe("deepseek-v4-lite");
    expect(await model({}, bare)).toBe("deepseek-v4-pro");
    expect(await model({ isOneShot: true }, bare)).toBe("deepseek-reasoner");
  });

  test("[20:R3.5] a saved model of another maker is not sent to a provider that cannot have it", async () => {
    using world = openWorld({
      settings: { model: { provider: "anthropic", default: "claude-opus-4-7" } },
      env: { DEEPSEEK_API_KEY: key, OPENROUTER_API_KEY: key },
    });
    const other = await resolved({ provider: "deepseek" }, world.context);
    expect(other.target.model).toBe("deepseek-v4-pro");
    expect(other.notices.join()).toContain("does not serve claude-opus-4-7");
    expect((await resolved({ provider: "openrouter" }, world.context)).target.model).toBe("anthropic/claude-opus-4-7");
  });

  test("[20:R3.6] an unknown provider is an error with a guess and what is wrong with the settings", async () => {
    using world = openWorld({ settings: { custom_providers: {} } });
    const failure = await refused({ provider: "anthropc" }, world.context);
    expect(failure).toMatchObject({ code: "invalid_provider", provider: "anthropc" });
    expect(failure.message).toMatch(/Did you mean anthropic\?.*custom_providers must be a list/);
    expect(failure.hint).toContain("hermes model");
  });

  test("[20:A2.9] a placeholder is not a key", async () => {
    using world = openWorld({
      env: { OPENROUTER_API_KEY: "your-api-key", DEEPSEEK_API_KEY: "***", XAI_API_KEY: "abc" },
    });
    expect(await refused({}, world.context)).toMatchObject({
      code: "no_provider_configured",
      hint: expect.stringContaining("hermes model"),
    });
    expect(await refused({ provider: "openrouter" }, world.context)).toMatchObject({
      code: "missing_api_key",
      hint: expect.stringContaining("OPENROUTER_API_KEY"),
    });
  });

  test("[20:R3.3] the explanation says what was looked at and holds no secret", async () => {
    using world = openWorld({ env: { GH_TOKEN: "gho_0123456789abcdef", DEEPSEEK_API_KEY: key } });
    const result = await resolved({}, world.context);
    expect(result.explanation).toEqual([
      { candidate: "copilot", verdict: "skipped", reason: "env:GH_TOKEN is often there for another reason" },
      { candidate: "deepseek", verdict: "taken", reason: "env:DEEPSEEK_API_KEY, own address" },
    ]);
    expect(JSON.stringify(result)).not.toContain(key);
  });
});

describe("auto", () => {
  test("[20:A3.15] GitHub tokens are not a choice", async () => {
    using world = openWorld({ env: { GH_TOKEN: "gho_0123456789abcdef", DEEPSEEK_API_KEY: key } });
    expect((await resolved({}, world.context)).target.provider).toBe("deepseek");
  });

  test("[20:R3.26] the token Claude Code gives its children is not a choice either", async () => {
    using world = openWorld({ env: { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-abcdefgh" } });
    expect(await refused({}, world.context)).toMatchObject({ code: "no_provider_configured" });
  });

  test("[20:R3.7] several keys: the choice is logged once with the alternatives", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key, OPENROUTER_API_KEY: key, XAI_API_KEY: key } });
    expect((await resolved({}, world.context)).target.provider).toBe("openrouter");
    await resolved({}, world.context);
    const told = world.logger.lines.filter((line) => JSON.stringify(line).includes("alternatives"));
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toMatch(/xai \(env:XAI_API_KEY\).*deepseek \(env:DEEPSEEK_API_KEY\)/);
  });

  test("[20:R3.7] a key on the command line means OpenRouter, an address the person's own endpoint", async () => {
    using world = openWorld({});
    const keyed = await resolved({ apiKey: new Secret("sk-or-12345678") }, world.context);
    expect([keyed.target.provider, keyed.target.source]).toEqual(["openrouter", "explicit"]);
    const addressed = await resolved({ baseUrl: "https://models.example.com/v1", model: "m" }, world.context);
    expect([addressed.target.provider, addressed.target.baseUrl]).toEqual(["custom", "https://models.example.com/v1"]);
  });

  test("[20:R3.8] a login that has run out is passed over by auto, and fails loudly when asked for", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key } });
    const codex = { tokens: { access_token: `a.${Buffer.from('{"exp":1}').toString("base64url")}.c` } };
    await world.authFile.update(
      (state) => withActiveProvider({ raw: { ...state.raw, providers: { "openai-codex": codex } } }, "openai-codex"),
      never,
    );
    const chosen = await resolved({}, world.context);
    expect(chosen.target.provider).toBe("deepseek");
    expect(chosen.notices.join()).toContain("openai-codex was passed over");
    expect(await refused({ provider: "openai-codex" }, world.context)).toMatchObject({
      code: "relogin_required",
      hint: expect.stringContaining("hermes auth add openai-codex"),
    });
  });

  test("[20:R3.7] Bedrock when there is nothing but AWS credentials", async () => {
    using world = openWorld({
      env: { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI", AWS_REGION: "eu-west-1" },
    });
    const { target, region } = await resolved({}, world.context);
    expect([target.provider, target.protocol, target.baseUrl, region]).toEqual([
      "bedrock",
      "anthropic_messages",
      "https://bedrock-runtime.eu-west-1.amazonaws.com",
      "eu-west-1",
    ]);
    expect((await headersFor(target, `${target.baseUrl}/model/x/invoke`)).Authorization).toContain(
      "/eu-west-1/bedrock/aws4_request",
    );
    await expect(headersFor(target, "https://bucket.s3.amazonaws.com/")).rejects.toThrow("may not be sent");
  });

  test("a region that is no region never becomes part of a host", async () => {
    using world = openWorld({ env: { AWS_BEARER_TOKEN_BEDROCK: "bedrock-key", AWS_REGION: "x.evil.test/" } });
    expect((await resolved({}, world.context)).target.baseUrl).toBe("https://bedrock-runtime.us-east-1.amazonaws.com");
  });

  test("[20:R1.65] without any AWS credentials the code says so", async () => {
    using world = openWorld({ env: { AWS_EC2_METADATA_DISABLED: "true" } });
    expect(await refused({ provider: "bedrock" }, world.context)).toMatchObject({ code: "no_aws_credentials" });
  });
});

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

  test("[20:A3.3][20:R3.10] an endpoint of the environment works when nothing is saved", async () => {
    using world = openWorld({ env: { OPENAI_BASE_URL: "http://10.0.0.5:8000/v1", OPENAI_API_KEY: "key-k" } });
    const { target } = await resolved({ model: "m" }, world.context);
    expect([target.provider, target.baseUrl, target.source]).toEqual([
      "custom",
      "http://10.0.0.5:8000/v1",
      "env:OPENAI_API_KEY",
    ]);
    expect(await headersFor(target, "http://10.0.0.5:8000/v1/chat/completions")).toEqual({
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

  test("[20:R1.60] Ollama: the real window is found and asked for, and nothing gives up on it", async () => {
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

  test("[20:R1.17] a query in the address goes with every request", async () => {
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

describe("wires", () => {
  test("[20:A1.1] GPT-5 at OpenAI's address speaks Responses", async () => {
    using world = openWorld({});
    expect(
      (await resolved({ baseUrl: "https://api.openai.com/v1", model: "gpt-5.4" }, world.context)).target.protocol,
    ).toBe("codex_responses");
  });

  test("[20:A1.2] an address ending in /anthropic speaks Messages with x-api-key, whatever the key looks like", async () => {
    using world = openWorld({});
    const { target } = await resolved(
      { baseUrl: "https://proxy.example.com/anthropic", model: "claude-x", apiKey: new Secret("eyJhbGciOi.abc") },
      world.context,
    );
    expect(target.protocol).toBe("anthropic_messages");
    expect(await headersFor(target, "https://proxy.example.com/anthropic/v1/messages")).toEqual({
      "x-api-key": "eyJhbGciOi.abc",
    });
  });

  test("[20:A1.3] an explicit wire wins", async () => {
    using world = openWorld({ env: { ANTHROPIC_API_KEY: "sk-ant-api-12345" } });
    expect(
      (await resolved({ provider: "anthropic", protocol: "chat_completions" }, world.context)).target.protocol,
    ).toBe("chat_completions");
  });

  test("[20:R1.15] a saved wire does not survive a change of provider", async () => {
    const env = { DEEPSEEK_API_KEY: key, ZAI_API_KEY: key };
    using world = openWorld({ settings: { model: { provider: "deepseek", api_mode: "anthropic_messages" } }, env });
    expect((await resolved({}, world.context)).target.protocol).toBe("anthropic_messages");
    expect((await resolved({ provider: "zai" }, world.context)).target.protocol).toBe("chat_completions");
  });

  test.each([
    ["copilot", "gpt-5.4", "codex_responses"],
    ["copilot", "gpt-5-mini", "chat_completions"],
    ["copilot", "gpt-4.1", "chat_completions"],
    ["opencode-zen", "claude-sonnet-4.6", "anthropic_messages"],
    ["opencode-zen", "gpt-5.4", "codex_responses"],
    ["opencode-zen", "kimi-k2.5", "chat_completions"],
    ["opencode-go", "minimax-m2.7", "anthropic_messages"],
    ["opencode-go", "glm-5", "chat_completions"],
    ["xai", "grok-4", "codex_responses"],
    ["minimax", "MiniMax-M2.7", "anthropic_messages"],
    ["openrouter", "openai/gpt-5.4", "codex_responses"],
    ["gemini", "gemini-3.1-pro-preview", "gemini_generate"],
  ])("[20:R1.12] %s with %s speaks %s", async (provider, model, protocol) => {
    const env = {
      OPENCODE_ZEN_API_KEY: key,
      OPENCODE_GO_API_KEY: key,
      XAI_API_KEY: key,
      MINIMAX_API_KEY: key,
      OPENROUTER_API_KEY: key,
      GEMINI_API_KEY: key,
      GH_TOKEN: "gho_0123456789",
    };
    using world = openWorld({ env });
    expect((await resolved({ provider, model }, world.context)).target.protocol).toBe(protocol);
  });

  test("[20:R1.16] OpenCode's address loses /v1 on the Messages wire", async () => {
    using world = openWorld({ env: { OPENCODE_ZEN_API_KEY: key } });
    expect(
      (await resolved({ provider: "opencode-zen", model: "claude-sonnet-4.6" }, world.context)).target.baseUrl,
    ).toBe("https://opencode.ai/zen");
    expect((await resolved({ provider: "opencode-zen", model: "kimi-k2.5" }, world.context)).target.baseUrl).toBe(
      "https://opencode.ai/zen/v1",
    );
  });

  test("[20:R1.62] Google's chat address speaks chat, with a bearer token", async () => {
    using world = openWorld({
      env: { GEMINI_API_KEY: key, GEMINI_BASE_URL: "https://generativelanguage.googleapis.com/v1beta/openai" },
    });
    const { target } = await resolved({ provider: "gemini" }, world.context);
    expect(target.protocol).toBe("chat_completions");
    expect(await headersFor(target, `${target.baseUrl}/chat/completions`)).toEqual({ Authorization: `Bearer ${key}` });
    using native = openWorld({ env: { GEMINI_API_KEY: key } });
    const other = (await resolved({ provider: "google" }, native.context)).target;
    expect(await headersFor(other, `${other.baseUrl}/models/x:generateContent`)).toEqual({ "x-goog-api-key": key });
  });

  test("[20:A2.2] a key of Kimi for coding goes to its own address on the Messages wire", async () => {
    using world = openWorld({ env: { KIMI_API_KEY: "sk-kimi-abc" } });
    const { target, notices } = await resolved({ provider: "kimi" }, world.context);
    expect([target.baseUrl, target.protocol]).toEqual(["https://api.kimi.com/coding", "anthropic_messages"]);
    expect(await headersFor(target, `${target.baseUrl}/v1/messages`)).toEqual({ "x-api-key": "sk-kimi-abc" });
    expect(target.headers["User-Agent"]).toBe("HermesAgent/1.2.3");
    expect(notices.join()).toContain("hermes auth accept kimi-coding");
    await world.authFile.update((state) => withAcceptedNotice(state, "kimi-coding", new Date(0)), never);
    const agreed = await resolved({ provider: "kimi" }, world.context);
    expect([agreed.target.headers["User-Agent"], agreed.notices]).toEqual(["claude-code/0.1.0", []]);
  });
});

describe("the rest of a target", () => {
  test("routing preferences go to OpenRouter only, and Claude there asks for streamed arguments", async () => {
    const settings = { provider_routing: { order: ["a"], only: [], sort: "price" } };
    using world = openWorld({ settings, env: { OPENROUTER_API_KEY: key, DEEPSEEK_API_KEY: key } });
    const { target } = await resolved({ provider: "openrouter", model: "claude-opus-4.7" }, world.context);
    expect(target.quirks.extraBody).toEqual({ provider: { order: ["a"], sort: "price" } });
    expect(target.headers).toMatchObject({
      "X-OpenRouter-Title": "Hermes",
      "x-anthropic-beta": "fine-grained-tool-streaming-2025-05-14",
      "User-Agent": "HermesAgent/1.2.3",
    });
    expect((await resolved({ provider: "deepseek" }, world.context)).target.quirks.extraBody).toBeUndefined();
  });

  test("[20:R6.1] the window: settings, what the server reports, the catalogue, 128,000", async () => {
    const lookUp = (): { contextWindow: number; maxOutputTokens: number } => ({
      contextWindow: 50_000,
      maxOutputTokens: 8000,
    });
    const env = { OPENROUTER_API_KEY: key };
    using set = openWorld({
      settings: { model: { provider: "openrouter", default: "x/y", context_length: 77_000, max_tokens: 500 } },
      env,
      change: { lookUp },
    });
    expect((await resolved({}, set.context)).target.limits).toEqual({
      contextWindow: 77_000,
      maxOutputTokens: 8000,
      defaultOutputTokens: 500,
    });
    expect((await resolved({ model: "other/model" }, set.context)).target.limits).toEqual({
      contextWindow: 50_000,
      maxOutputTokens: 8000,
    });
    expect((await resolved({ model: "claude-opus-4.7" }, set.context)).target.limits.defaultOutputTokens).toBe(8000);
    using unknown = openWorld({ env });
    expect((await resolved({ model: "x/y" }, unknown.context)).target.limits).toEqual({ contextWindow: 128_000 });
  });

  test("[20:R1.59] timeouts: the model's, the provider's, the environment's, the default", async () => {
    const settings = {
      providers: {
        deepseek: {
          request_timeout_seconds: 100,
          stale_timeout_seconds: 20,
          models: { "deepseek-chat": { timeout_seconds: 5 } },
        },
      },
    };
    using world = openWorld({
      settings,
      env: { DEEPSEEK_API_KEY: key, ZAI_API_KEY: key, ANTHROPIC_API_KEY: "sk-ant-api-1", HERMES_API_TIMEOUT: "60" },
    });
    const timeouts = async (provider: string, model: string) =>
      (await resolved({ provider, model }, world.context)).target.timeouts;
    expect(await timeouts("deepseek", "deepseek-chat")).toMatchObject({
      totalMs: 5000,
      streamStaleMs: 20_000,
      wholeStaleMs: 20_000,
    });
    expect(await timeouts("deepseek", "deepseek-v4-pro")).toMatchObject({ totalMs: 100_000 });
    expect(await timeouts("zai", "glm-5")).toEqual({
      connectMs: 30_000,
      totalMs: 60_000,
      streamReadMs: 120_000,
      streamStaleMs: 180_000,
      wholeStaleMs: 300_000,
    });
    expect(await timeouts("anthropic", "claude-opus-4-7")).toMatchObject({ connectMs: 10_000, streamReadMs: 900_000 });
  });

  test("[20:R2.13] a name of the person's own stands for model, provider and address", async () => {
    const settings = {
      model_aliases: {
        fast: { model: "deepseek-chat", provider: "deepseek" },
        opus: { model: "glm-5", provider: "zai" },
      },
    };
    using world = openWorld({ settings, env: { DEEPSEEK_API_KEY: key, ZAI_API_KEY: key } });
    expect((await resolved({ model: "fast" }, world.context)).target).toMatchObject({
      provider: "deepseek",
      model: "deepseek-chat",
    });
    expect((await resolved({ model: "opus" }, world.context)).target).toMatchObject({
      provider: "zai",
      model: "glm-5",
    });
  });

  test("[20:R3.19] characters no key has are left out and named", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: `${key}\u200b` } });
    const { target, notices } = await resolved({ provider: "deepseek" }, world.context);
    expect(await headersFor(target, `${target.baseUrl}/x`)).toEqual({ Authorization: `Bearer ${key}` });
    expect(notices.join()).toContain("U+200B");
  });

  test("[20:R2.16] a model that is not made for agents is warned about and used", async () => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: key } });
    expect((await resolved({ model: "nousresearch/hermes-4-405b" }, world.context)).notices.join()).toContain(
      "conversation model",
    );
  });

  test("Copilot's program must exist; its command and arguments can be set", async () => {
    using world = openWorld({});
    expect(await refused({ provider: "copilot-acp" }, world.context)).toMatchObject({ code: "missing_copilot_cli" });
    mkdirSync(world.folder, { recursive: true });
    writeFileSync(join(world.folder, "copilot"), "#!/bin/sh\n");
    chmodSync(join(world.folder, "copilot"), 0o755);
    expect(await resolved({ provider: "copilot-acp" }, world.context)).toMatchObject({
      command: "copilot",
      args: ["--acp", "--stdio"],
      target: { baseUrl: "acp://copilot", source: "process" },
    });
  });

  test("[20:A3.11] a classic GitHub token is explained and never sent", async () => {
    using world = openWorld({ env: { GITHUB_TOKEN: "ghp_0123456789abcdef" } });
    expect(await refused({ provider: "copilot" }, world.context)).toMatchObject({
      code: "unsupported_token_type",
      message: expect.stringContaining("gho_"),
      source: "GITHUB_TOKEN",
    });
  });

  test("[20:R3.42] Nous is passed over while its account has no allowance left", async () => {
    using world = openWorld({ change: { nousBlockedUntilMs: async () => Date.UTC(2026, 3, 2) } });
    expect(await refused({ provider: "nous" }, world.context)).toMatchObject({
      code: "temporarily_unavailable",
      message: expect.stringContaining("2026-04-02"),
    });
  });

  test.each([
    ["openai-codex", "codex_auth_missing"],
    ["qwen-oauth", "qwen_auth_missing"],
    ["nous", "relogin_required"],
    ["google-gemini-cli", "relogin_required"],
    ["azure-foundry", "model_not_found"],
  ])("without a login %s fails with %s and the command to run", async (provider, code) => {
    using world = openWorld({});
    expect(await refused({ provider }, world.context)).toMatchObject({
      code,
      hint: expect.stringMatching(/hermes|qwen/),
    });
  });

  test("Azure Foundry needs an address and a key, each named in its error", async () => {
    using bare = openWorld({ env: { AZURE_FOUNDRY_API_KEY: key } });
    expect(await refused({ provider: "azure-foundry", model: "m" }, bare.context)).toMatchObject({
      code: "missing_base_url",
      hint: expect.stringContaining("AZURE_FOUNDRY_BASE_URL"),
    });
    using keyless = openWorld({ env: { AZURE_FOUNDRY_BASE_URL: "https://r.services.ai.azure.com/models" } });
    expect(await refused({ provider: "azure-foundry", model: "m" }, keyless.context)).toMatchObject({
      code: "missing_api_key",
    });
    using whole = openWorld({
      env: { AZURE_FOUNDRY_BASE_URL: "https://r.services.ai.azure.com/models", AZURE_FOUNDRY_API_KEY: key },
    });
    const { target } = await resolved({ provider: "azure-foundry", model: "gpt-5.4" }, whole.context);
    expect(target.protocol).toBe("chat_completions");
    expect(await headersFor(target, "https://r.services.ai.azure.com/models/chat/completions")).toEqual({
      Authorization: `Bearer ${key}`,
    });
  });
});
