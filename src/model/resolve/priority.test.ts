import { describe, expect, test } from "vitest";
import { openWorld, refused, resolved } from "./testing/world.ts";

const key = "sk-0123456789abcdef";

describe("what was asked for, saved, exported", () => {
  test("[20:A3.2] [20:R3.4] a saved provider wins over an exported one; an argument wins over both", async () => {
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
    const model = async (wanted: object, world: typeof bare): Promise<string> =>
      (await resolved(wanted, world.context)).target.model;
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
