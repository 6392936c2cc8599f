import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { ModelsCache } from "../../providers/models/models-cache.ts";
import { openWorld } from "../testing/world.ts";
import { choiceToSave, listChoices } from "./picker.ts";
import { switchModel } from "./switch-model.ts";

const key = "sk-0123456789abcdef";
const deepseek = { provider: "deepseek", baseUrl: "https://api.deepseek.com/v1" };

describe("switching the model", () => {
  test("[20:A2.10] a short name the provider lacks is found at another one with a key", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key, OPENROUTER_API_KEY: key } });
    const result = await switchModel({ text: "opus", standing: deepseek }, world.context, never);
    expect(result).toMatchObject({
      kind: "switched",
      provider: "openrouter",
      model: "anthropic/claude-opus-4.7",
      hasProviderChanged: true,
      contextWindow: 128_000,
    });
  });

  test("[20:R2.13] the newest of the listed models counts, not only of the curated ones", async () => {
    const models = new ModelsCache({ clock: new FakeClock() });
    await models.refresh("openrouter", async () => ({ kind: "models", models: [{ id: "anthropic/claude-opus-4.9" }] }));
    using world = openWorld({ env: { OPENROUTER_API_KEY: key }, change: { models } });
    const standing = { provider: "openrouter", baseUrl: "https://openrouter.ai/api/v1" };
    expect(await switchModel({ text: "opus", standing }, world.context, never)).toMatchObject({
      model: "anthropic/claude-opus-4.9",
      hasProviderChanged: false,
    });
  });

  test("[20:R2.13] a short name nobody offers is an error that names it", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key } });
    expect(await switchModel({ text: "grok", standing: deepseek }, world.context, never)).toMatchObject({
      kind: "failure",
      code: "model_not_found",
      message: expect.stringContaining('"grok"'),
    });
  });

  test("[20:R2.14] a bare name stays where the conversation is", async () => {
    const custom_providers = [{ name: "local", base_url: "http://localhost:8080/v1" }];
    using world = openWorld({
      settings: { custom_providers },
      env: { DEEPSEEK_API_KEY: key, OPENROUTER_API_KEY: key },
    });
    expect(await switchModel({ text: "deepseek-chat", standing: deepseek }, world.context, never)).toMatchObject({
      provider: "deepseek",
      model: "deepseek-chat",
    });
    const local = { provider: "custom:local", baseUrl: "http://localhost:8080/v1" };
    expect(await switchModel({ text: "llama", standing: local }, world.context, never)).toMatchObject({
      provider: "custom:local",
      model: "llama",
    });
    const own = { provider: "custom", baseUrl: "http://localhost:7/v1" };
    expect(await switchModel({ text: "m2", standing: own }, world.context, never)).toMatchObject({
      provider: "custom",
      baseUrl: "http://localhost:7/v1",
      model: "m2",
    });
  });

  test("[20:A2.4][20:R2.14] a named endpoint by its full form", async () => {
    const custom_providers = [{ name: "local", base_url: "http://localhost:8080/v1" }];
    using world = openWorld({ settings: { custom_providers } });
    expect(await switchModel({ text: "custom:local:qwen-2.5" }, world.context, never)).toMatchObject({
      provider: "custom:local",
      model: "qwen-2.5",
      protocol: "chat_completions",
    });
  });

  test("[20:A2.5] a colon of the model stays in the model", async () => {
    using world = openWorld({ env: { OPENROUTER_API_KEY: key } });
    const standing = { provider: "openrouter", baseUrl: "https://openrouter.ai/api/v1" };
    expect(
      await switchModel({ text: "anthropic/claude-3.5-sonnet:beta", standing }, world.context, never),
    ).toMatchObject({ model: "anthropic/claude-3.5-sonnet:beta" });
  });

  test("[20:R2.14] what fails says why and what to do", async () => {
    using world = openWorld({});
    expect(await switchModel({ text: "openai:gpt-5.4" }, world.context, never)).toMatchObject({
      kind: "failure",
      code: "missing_api_key",
      hint: expect.stringContaining("OPENAI_API_KEY"),
    });
    expect(await switchModel({ text: "" }, world.context, never)).toMatchObject({ kind: "failure" });
  });
});

describe("what can be chosen", () => {
  test("[20:R2.15] recommended first, then curated, then listed; own endpoints too", async () => {
    const models = new ModelsCache({ clock: new FakeClock() });
    await models.refresh("deepseek", async () => ({
      kind: "models",
      models: [{ id: "deepseek-chat" }, { id: "deepseek-v5" }],
    }));
    const settings = {
      custom_providers: [{ name: "Mine", base_url: "http://localhost:1/v1", model: "a", models: { b: {} } }],
    };
    using world = openWorld({ settings, env: { DEEPSEEK_API_KEY: key }, change: { models } });
    expect(await listChoices(world.context, { recommended: { deepseek: ["deepseek-v6"] } }, never)).toEqual([
      {
        provider: "deepseek",
        label: "DeepSeek",
        models: ["deepseek-v6", "deepseek-v4-pro", "deepseek-chat", "deepseek-reasoner", "deepseek-v5"],
        source: "env:DEEPSEEK_API_KEY",
        isOwnEndpoint: false,
      },
      {
        provider: "custom:mine",
        label: "Mine",
        models: ["a", "b"],
        source: "http://localhost:1/v1",
        isOwnEndpoint: true,
      },
    ]);
  });

  test("[20:R2.15] the endpoint in model.base_url is a choice too, also without a name", async () => {
    const model = { provider: "custom", base_url: "http://localhost:2/v1", default: "tiny" };
    using world = openWorld({ settings: { model }, env: {} });
    expect(await listChoices(world.context, {}, never)).toEqual([
      {
        provider: "custom",
        label: "Custom endpoint",
        models: ["tiny"],
        source: "http://localhost:2/v1",
        isOwnEndpoint: true,
      },
    ]);
  });

  test("[20:R3.12][20:R3.14] a saved choice is one set of changes that clears what belonged to the old provider", () => {
    expect(choiceToSave({ provider: "zai", model: "glm-5" })).toEqual({
      "model.provider": "zai",
      "model.default": "glm-5",
      "model.base_url": undefined,
      "model.api_mode": undefined,
      "model.api_key": undefined,
    });
  });
});
