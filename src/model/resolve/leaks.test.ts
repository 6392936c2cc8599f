import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { startModelServer } from "../../../test/fakes/model-server/index.ts";
import { CredentialRecovery } from "../credentials/recovery.ts";
import { KeyScopeError } from "../credentials/scoped.ts";
import { LocalDetection } from "../providers/local/local-detection.ts";
import { fetchModels } from "../providers/models/models-list.ts";
import { switchModel } from "./choose/switch-model.ts";
import { headersFor, openWorld, refused, resolved } from "./testing/world.ts";

const openrouterKey = "sk-or-0123456789abcdef";
const gatewayKey = "vck_0123456789abcdef";
const login = "sk-ant-oat01-0123456789";

const noCredit = {
  kind: "billing",
  provider: "openrouter",
  model: "x/y",
  message: "no credit",
  isPartial: false,
  isRetryable: false,
  mayCompress: false,
  mayRotate: true,
  mayFallBack: true,
} as const;

describe("[20:R3.17] a key never goes to a host it does not belong to", () => {
  test("[20:A3.1][20:R3.15] OpenRouter's key and the person's own endpoint", async () => {
    using world = openWorld({
      settings: { model: { provider: "custom", base_url: "http://localhost:8000/v1", default: "m" } },
      env: { OPENROUTER_API_KEY: openrouterKey },
    });
    const { target } = await resolved({}, world.context);
    expect(await headersFor(target, "http://localhost:8000/v1/chat/completions")).toEqual({});
    const own = (await resolved({ provider: "openrouter" }, world.context)).target;
    await expect(headersFor(own, "http://localhost:8000/v1/chat/completions")).rejects.toThrow(KeyScopeError);
  });

  test("[20:R3.15] the AI gateway's key and the person's own endpoint", async () => {
    using world = openWorld({
      settings: { model: { provider: "custom", base_url: "https://models.example.com/v1", default: "m" } },
      env: { AI_GATEWAY_API_KEY: gatewayKey },
    });
    const { target } = await resolved({}, world.context);
    expect(await headersFor(target, "https://models.example.com/v1/chat/completions")).toEqual({});
    const own = (await resolved({ provider: "ai-gateway" }, world.context)).target;
    expect(own.credential.allowedHosts).toEqual(["ai-gateway.vercel.sh"]);
    await expect(headersFor(own, "https://models.example.com/v1")).rejects.toThrow(KeyScopeError);
  });

  test.each([
    ["MiniMax", "https://api.minimax.io/anthropic"],
    ["Kimi", "https://api.kimi.com/coding"],
    ["Azure", "https://r.services.ai.azure.com/anthropic"],
    ["anybody else", "https://proxy.example.com/anthropic"],
  ])("an Anthropic login and %s", async (_who, baseUrl) => {
    using world = openWorld({
      settings: { model: { provider: "anthropic", base_url: baseUrl } },
      env: { ANTHROPIC_TOKEN: login },
    });
    expect(await refused({}, world.context)).toMatchObject({ code: "missing_api_key" });
    using native = openWorld({ env: { ANTHROPIC_TOKEN: login } });
    const { target } = await resolved({ provider: "anthropic" }, native.context);
    expect(await headersFor(target, "https://api.anthropic.com/v1/messages")).toMatchObject({
      Authorization: `Bearer ${login}`,
    });
    await expect(headersFor(target, `${baseUrl}/v1/messages`)).rejects.toThrow(KeyScopeError);
  });

  test("Azure takes the keys meant for it, and Anthropic's own key, but no login", async () => {
    const settings = { model: { provider: "anthropic", base_url: "https://r.services.ai.azure.com/anthropic/v1" } };
    using world = openWorld({
      settings,
      env: { ANTHROPIC_TOKEN: login, AZURE_ANTHROPIC_KEY: "azure-0123456789", ANTHROPIC_API_KEY: "sk-ant-api-012345" },
    });
    const { target } = await resolved({}, world.context);
    expect([target.baseUrl, target.query, target.source]).toEqual([
      "https://r.services.ai.azure.com/anthropic",
      { "api-version": "2025-04-15" },
      "env:AZURE_ANTHROPIC_KEY",
    ]);
    expect(await headersFor(target, "https://r.services.ai.azure.com/anthropic/v1/messages")).toEqual({
      "x-api-key": "azure-0123456789",
    });
    await expect(headersFor(target, "https://other.services.ai.azure.com/")).rejects.toThrow(KeyScopeError);
  });

  test("[20:A3.5] look-alike hosts", async () => {
    const lookAlikes = [
      "https://ollama.com.attacker.test/v1",
      "https://attacker.test/ollama.com/v1",
      "https://ollama.com@attacker.test/v1",
    ];
    for (const baseUrl of lookAlikes) {
      using world = openWorld({
        settings: { model: { provider: "custom", base_url: baseUrl, default: "m" } },
        env: { OLLAMA_API_KEY: "ollama-0123456789" },
      });
      const { target } = await resolved({}, world.context);
      expect(await headersFor(target, "https://attacker.test/v1/chat/completions")).toEqual({});
    }
    using world = openWorld({ env: { OLLAMA_API_KEY: "ollama-0123456789" } });
    const { target } = await resolved({ provider: "ollama-cloud", model: "m" }, world.context);
    for (const baseUrl of lookAlikes) await expect(headersFor(target, baseUrl)).rejects.toThrow(KeyScopeError);
  });

  test("listing the models and asking for the window of the person's own endpoint", async () => {
    await using server = await startModelServer({
      models: [{ id: "only", contextLength: 9000 }],
      localServer: { kind: "vllm" },
    });
    const env = { OPENROUTER_API_KEY: openrouterKey, AI_GATEWAY_API_KEY: gatewayKey, ANTHROPIC_TOKEN: login };
    using world = openWorld({ settings: { model: { provider: "custom", base_url: server.chatBaseUrl } }, env });
    const detectLocal = new LocalDetection(world.clock).detect;
    const { target } = await resolved({}, { ...world.context, detectLocal });
    expect(target.limits.contextWindow).toBe(9000);
    await fetchModels({ source: { path: "/models" }, baseUrl: target.baseUrl, credential: target.credential }, never);
    expect(server.probes.length).toBeGreaterThan(2);
    const seen = JSON.stringify(server.probes.map((probe) => probe.headers));
    for (const secret of Object.values(env)) expect(seen).not.toContain(secret);
  });

  test("a side call with an address of its own takes only the key given with it", async () => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: openrouterKey, DEEPSEEK_API_KEY: "sk-deepseek-0123" } });
    const bare = await resolved({ baseUrl: "https://side.example.com/v1", model: "m" }, world.context);
    expect(await headersFor(bare.target, "https://side.example.com/v1/x")).toEqual({});
    const keyed = await resolved(
      { baseUrl: "https://side.example.com/v1", model: "m", apiKey: new Secret("side-key-0123") },
      world.context,
    );
    expect(await headersFor(keyed.target, "https://side.example.com/v1/x")).toEqual({
      Authorization: "Bearer side-key-0123",
    });
    await expect(headersFor(keyed.target, "https://openrouter.ai/api/v1/x")).rejects.toThrow(KeyScopeError);
  });

  test("a fallback entry with its own address does not get the provider's key", async () => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: openrouterKey, FALLBACK_KEY: "fallback-0123456" } });
    const entry = {
      provider: "openrouter",
      model: "x/y",
      baseUrl: "https://fallback.example.com/v1",
      source: "fallback 1",
    };
    expect(await refused(entry, world.context)).toMatchObject({ code: "missing_api_key" });
    const { target } = await resolved({ ...entry, keyEnv: "FALLBACK_KEY" }, world.context);
    expect(target.source).toBe("fallback 1");
    expect(await headersFor(target, "https://fallback.example.com/v1/x")).toEqual({
      Authorization: "Bearer fallback-0123456",
    });
  });

  test("rotation to a credential with another address: target and key move together", async () => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: openrouterKey } });
    const first = await resolved({ provider: "openrouter", model: "x/y" }, world.context);
    await first.pool?.add(
      { secret: new Secret("other-key-012345"), baseUrl: "https://mirror.example.com/v1", priority: 5 },
      never,
    );
    const resolution = await resolved({ provider: "openrouter", model: "x/y" }, world.context);
    const verdict = await resolution.pool?.failed(resolution.target.credential.id, noCredit, never);
    if (verdict?.kind !== "rotated") throw new Error(`not rotated: ${verdict?.kind}`);
    const moved = resolution.retarget?.(verdict.member, verdict.handle);
    expect(moved?.baseUrl).toBe("https://mirror.example.com/v1");
    expect(verdict.handle.allowedHosts).toEqual(["mirror.example.com:443"]);
    if (moved === undefined) return;
    await expect(headersFor(moved, "https://openrouter.ai/api/v1/x")).rejects.toThrow(KeyScopeError);
    expect(await headersFor(moved, "https://mirror.example.com/v1/x")).toEqual({
      Authorization: "Bearer other-key-012345",
    });
  });

  test("rotation away from a credential with another address goes back to the provider's own", async () => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: openrouterKey } });
    const first = await resolved({ provider: "openrouter", model: "x/y" }, world.context);
    await first.pool?.add(
      { secret: new Secret("other-key-012345"), baseUrl: "https://mirror.example.com/v1", priority: -5 },
      never,
    );
    const { target, pool, retarget } = await resolved({ provider: "openrouter", model: "x/y" }, world.context);
    expect(target.baseUrl).toBe("https://mirror.example.com/v1");
    if (pool === undefined) throw new Error("no pool");
    const { credential: handle } = target;
    const recovery = new CredentialRecovery({ handle, pool, retarget });
    const step = await recovery.next(noCredit, never);
    expect(step).toMatchObject({ why: "rotated", baseUrl: "https://openrouter.ai/api/v1" });
  });

  test("a change of provider in mid-session leaves key, address and wire behind", async () => {
    const settings = {
      model: {
        provider: "custom",
        base_url: "http://localhost:8000/v1",
        api_key: new Secret("own-key-0123456"),
        default: "m",
      },
    };
    using world = openWorld({ settings, env: { DEEPSEEK_API_KEY: "sk-deepseek-0123" } });
    const before = (await resolved({}, world.context)).target;
    expect(await headersFor(before, "http://localhost:8000/v1/x")).toEqual({ Authorization: "Bearer own-key-0123456" });
    const after = await switchModel({ text: "deepseek:deepseek-chat", standing: before }, world.context, never);
    if (after.kind === "failure") throw new Error(after.message);
    expect([after.provider, after.hasProviderChanged, after.baseUrl]).toEqual([
      "deepseek",
      true,
      "https://api.deepseek.com/v1",
    ]);
    const headers = await after.credential.authorize(
      { method: "POST", url: new URL("https://api.deepseek.com/v1/x"), headers: {}, body: "" },
      never,
    );
    expect(headers).toEqual({ Authorization: "Bearer sk-deepseek-0123" });
    await expect(headersFor(after.resolution.target, "http://localhost:8000/v1/x")).rejects.toThrow(KeyScopeError);
  });

  test("[20:R3.15] the keys of OpenAI and OpenRouter go to their own hosts, whatever the settings name beside them", async () => {
    const env = { OPENAI_API_KEY: "sk-proj-0123456789", OPENROUTER_API_KEY: openrouterKey };
    const elsewhere = "https://proxy.test/v1";
    using own = openWorld({ settings: { model: { provider: "custom", base_url: elsewhere, default: "m" } }, env });
    expect(await headersFor((await resolved({}, own.context)).target, `${elsewhere}/x`)).toEqual({});
    for (const provider of ["openai", "openrouter"]) {
      const model = { provider, base_url: elsewhere, default: "m" };
      using world = openWorld({ settings: { model }, env });
      expect(await refused({}, world.context)).toMatchObject({
        code: "missing_api_key",
        message: expect.stringContaining("proxy.test"),
        hint: expect.stringContaining(`providers.${provider}.key_env`),
      });
      using named = openWorld({
        settings: { model, providers: { [provider]: { key_env: "PROXY_KEY" } } },
        env: { ...env, PROXY_KEY: "proxy-key-0123" },
      });
      expect(await headersFor((await resolved({}, named.context)).target, `${elsewhere}/x`)).toEqual({
        Authorization: "Bearer proxy-key-0123",
      });
    }
  });

  test("[20:R3.10] OPENAI_BASE_URL selects an endpoint beside OPENROUTER_API_KEY; OPENAI_API_KEY goes there only when key_env names it", async () => {
    const env = {
      OPENAI_BASE_URL: "https://proxy.test/v1",
      OPENAI_API_KEY: "partner-0123456789",
      OPENROUTER_API_KEY: openrouterKey,
    };
    using world = openWorld({ settings: { model: { default: "m" } }, env });
    const { target } = await resolved({}, world.context);
    expect([target.provider, target.baseUrl]).toEqual(["custom", "https://proxy.test/v1"]);
    expect(JSON.stringify(await headersFor(target, "https://proxy.test/v1/x"))).not.toMatch(/partner|sk-or/);
    using named = openWorld({
      settings: { model: { default: "m" }, providers: { custom: { key_env: "OPENAI_API_KEY" } } },
      env,
    });
    expect(await headersFor((await resolved({}, named.context)).target, "https://proxy.test/v1/x")).toEqual({
      Authorization: "Bearer partner-0123456789",
    });
    using saved = openWorld({ settings: { model: { default: "m", provider: "openrouter" } }, env });
    expect((await resolved({}, saved.context)).target.provider).toBe("openrouter");
  });

  test("[20:R3.26] another program's login is read only for somebody who chose that provider", async () => {
    const file = { claudeAiOauth: { accessToken: login, refreshToken: "r", expiresAt: Date.UTC(2030, 0, 1) } };
    using world = openWorld({
      env: { DEEPSEEK_API_KEY: "sk-deepseek-0123", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-other" },
    });
    mkdirSync(join(world.folder, ".claude"));
    writeFileSync(join(world.folder, ".claude", ".credentials.json"), JSON.stringify(file));
    expect((await resolved({}, world.context)).target.provider).toBe("deepseek");
    const chosen = await resolved({ provider: "anthropic" }, world.context);
    expect([chosen.target.source, chosen.target.credential.masked]).toEqual(["claude_code", "sk-a...6789"]);
  });

  test("[20:R0.7] nothing about a target can be turned into the key by accident", async () => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: openrouterKey } });
    const resolution = await resolved({}, world.context);
    const { inspect } = await import("node:util");
    expect(JSON.stringify(resolution.target) + inspect(resolution.target, { depth: 9 })).not.toContain(openrouterKey);
    expect(resolution.target.credential.masked).toBe("sk-o...cdef");
  });
});
