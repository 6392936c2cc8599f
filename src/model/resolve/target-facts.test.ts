import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import { withProbedBaseUrl } from "../credentials/auth-state.ts";
import { PoolMemory } from "../credentials/pool/pool-memory.ts";
import { ModelsCache } from "../providers/models/models-cache.ts";
import { keyFingerprint } from "./endpoint/endpoint.ts";
import { headersFor, openWorld, refused, resolved } from "./testing/world.ts";

const key = "sk-0123456789abcdef";

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
      windowSource: "model.context_length",
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

  test.each([
    ["http://127.0.0.1:8080/v1", { streamReadMs: 1_800_000, streamStaleMs: 0, wholeStaleMs: 0 }],
    ["https://models.example/v1", { streamReadMs: 120_000, streamStaleMs: 180_000, wholeStaleMs: 300_000 }],
  ])("[10:LOOP-52] [20:R1.58] silence of a server at %s", async (baseUrl, expected) => {
    using world = openWorld({ settings: { model: { provider: "custom", base_url: baseUrl, default: "m" } } });
    expect((await resolved({}, world.context)).target.timeouts).toMatchObject(expected);
  });

  test("[20:R2.7] a built-in provider has the name, window and pace the settings give it", async () => {
    const deepseek = { name: "Deep", context_length: 90_000, rate_limit_delay: 2 };
    using world = openWorld({ settings: { providers: { deepseek } }, env: { DEEPSEEK_API_KEY: key } });
    const { target } = await resolved({ provider: "deepseek", model: "deepseek-chat" }, world.context);
    expect(target.providerLabel).toBe("Deep");
    expect(target.limits.contextWindow).toBe(90_000);
    expect(target.timeouts.minIntervalMs).toBe(2_000);
  });

  test("[20:R2.5] a key that was tried before uses the address it works at, and only one of the record's", async () => {
    using world = openWorld({ env: { GLM_API_KEY: key } });
    const probe = async (baseUrl: string) => {
      await world.authFile.update(
        (state) => withProbedBaseUrl(state, "zai", { fingerprint: keyFingerprint(key), baseUrl }),
        never,
      );
      return (await resolved({ provider: "zai" }, world.context)).target.baseUrl;
    };
    expect(await probe("https://open.bigmodel.cn/api/coding/paas/v4")).toBe(
      "https://open.bigmodel.cn/api/coding/paas/v4",
    );
    expect(await probe("https://evil.test/v4")).toBe("https://api.z.ai/api/paas/v4");
  });

  test("what the provider's list says about a model fills the gaps", async () => {
    const models = new ModelsCache({ clock: new FakeClock() });
    await models.refresh("copilot", async () => ({
      kind: "models",
      models: [
        { id: "claude-sonnet-4.6", endpoints: ["/v1/messages"], contextWindow: 90_000, efforts: ["low", "high"] },
      ],
    }));
    using world = openWorld({ env: { GH_TOKEN: "gho_0123456789" }, change: { models } });
    expect((await resolved({ provider: "copilot", model: "claude-sonnet-4.6" }, world.context)).target).toMatchObject({
      protocol: "anthropic_messages",
      limits: { contextWindow: 90_000 },
      quirks: { listedEfforts: ["low", "high"] },
    });
  });

  test("[20:R2.7] the pause between requests of an own endpoint", async () => {
    const custom_providers = [{ name: "slow", base_url: "http://localhost:1/v1", rate_limit_delay: 1.5 }];
    using world = openWorld({ settings: { custom_providers } });
    expect((await resolved({ provider: "slow", model: "m" }, world.context)).target.timeouts.minIntervalMs).toBe(1500);
  });

  test("[20:R3.25] a child on the same provider takes the credential its parent does not hold", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key }, change: { pools: new PoolMemory() } });
    const first = await resolved({ provider: "deepseek" }, world.context);
    await first.pool?.add({ secret: new Secret("manual-0123456789") }, never);
    using _lease = first.pool?.lease(first.target.credential.id);
    expect((await resolved({ provider: "deepseek" }, world.context)).target.source).toBe("pool:deepseek");
  });

  test("[20:R3.2] a stored credential is told by its pool", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key } });
    const { pool } = await resolved({ provider: "deepseek" }, world.context);
    await pool?.add({ secret: new Secret("manual-0123456789"), priority: -1 }, never);
    expect((await resolved({ provider: "deepseek" }, world.context)).target.source).toBe("pool:deepseek");
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

  test("[20:R1.64] Copilot's program must exist; its command and arguments can be set", async () => {
    using world = openWorld({});
    expect(await refused({ provider: "copilot-acp" }, world.context)).toMatchObject({ code: "missing_copilot_cli" });
    mkdirSync(world.folder, { recursive: true });
    writeFileSync(join(world.folder, "copilot"), "#!/bin/sh\n");
    chmodSync(join(world.folder, "copilot"), 0o755);
    expect(await resolved({ provider: "copilot-acp" }, world.context)).toMatchObject({
      command: "copilot",
      args: ["--acp", "--stdio"],
      target: {
        baseUrl: "acp://copilot",
        source: "process",
        program: { command: join(world.folder, "copilot"), args: ["--acp", "--stdio"] },
      },
    });
    using remote = openWorld({ env: { COPILOT_ACP_BASE_URL: "acp+tcp://127.0.0.1:8123" } });
    const { target } = await resolved({ provider: "copilot-acp" }, remote.context);
    expect([target.baseUrl, target.program]).toEqual(["acp+tcp://127.0.0.1:8123", undefined]);
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
