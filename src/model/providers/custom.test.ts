import { describe, expect, test } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { findNamed, readNamedEndpoints } from "./custom.ts";
import { ProviderRegistry } from "./registry.ts";

const registry = new ProviderRegistry();

describe("named endpoints", () => {
  test("[20:R2.7] the list and the map are one list without doubles", () => {
    const read = readNamedEndpoints(
      [
        {
          name: "My Server",
          base_url: "http://localhost:8000/v1/",
          api_key: new Secret("secret-key"),
          api_mode: "anthropic_messages",
          model: "m1",
          models: { m1: { context_length: 65_536 } },
          rate_limit_delay: 2,
        },
      ],
      {
        "my server": { url: "http://other:1/v1" },
        groq: {
          api: "https://api.groq.com/openai/v1",
          key_env: "GROQ_KEY",
          default_model: "llama",
          transport: "chat_completions",
        },
        anthropic: { base_url: "https://api.anthropic.com" },
      },
      registry,
    );
    expect(read.errors).toEqual([]);
    expect(read.endpoints.map((one) => [one.slug, one.baseUrl, one.protocol, one.model, one.keyEnv])).toEqual([
      ["custom:my-server", "http://localhost:8000/v1", "anthropic_messages", "m1", undefined],
      ["custom:groq", "https://api.groq.com/openai/v1", "chat_completions", "llama", "GROQ_KEY"],
    ]);
    expect(read.endpoints[0]?.models.m1?.contextLength).toBe(65_536);
    expect(read.endpoints[0]?.rateLimitDelaySeconds).toBe(2);
    expect(read.endpoints[0]?.apiKey?.reveal()).toBe("secret-key");
  });

  test("[20:R2.7] other spellings are taken with a warning, unknown keys warn, bad addresses are skipped", () => {
    const read = readNamedEndpoints(
      [
        { name: "a", baseUrl: "http://localhost:1/v1", keyEnv: "A_KEY", contxt_length: 5 },
        { name: "b", base_url: "localhost:1" },
        { base_url: "http://localhost:1" },
        "nonsense",
      ],
      undefined,
      registry,
    );
    expect(read.endpoints.map((one) => [one.slug, one.keyEnv])).toEqual([["custom:a", "A_KEY"]]);
    expect(read.warnings).toEqual([
      "custom_providers[0].baseUrl should be written base_url.",
      "custom_providers[0].keyEnv should be written key_env.",
      "custom_providers[0].contxt_length is not a known key; did you mean context_length?",
      "custom_providers[1] (b) has no valid absolute base_url and is skipped.",
      "custom_providers[2] has no name and is skipped.",
    ]);
    expect(read.errors).toEqual(["custom_providers[3] must be a group of keys."]);
  });

  test("[20:A2.8] a mapping instead of a list is an error that names the key and shows the form", () => {
    const read = readNamedEndpoints(
      { local: { base_url: "http://x/v1" } },
      { ok: { base_url: "http://localhost:1/v1" } },
      registry,
    );
    expect(read.errors).toHaveLength(1);
    expect(read.errors[0]).toMatch(/custom_providers must be a list.*\[\{ name:/);
    expect(read.endpoints.map((one) => one.slug)).toEqual(["custom:ok"]);
  });

  test("[20:R2.8] a bare name never hides a built-in provider; the custom: form always finds its endpoint", () => {
    const { endpoints } = readNamedEndpoints(
      [
        { name: "openai", base_url: "http://localhost:1/v1" },
        { name: "mine", base_url: "http://localhost:2/v1" },
      ],
      undefined,
      registry,
    );
    const found = (name: string): string | undefined => findNamed(name, endpoints, registry)?.baseUrl;
    expect([found("openai"), found("custom:openai"), found("MINE"), found("custom:Mine"), found("other")]).toEqual([
      undefined,
      "http://localhost:1/v1",
      "http://localhost:2/v1",
      "http://localhost:2/v1",
      undefined,
    ]);
  });
});
