import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { builtinProviders } from "../providers/records/builtin.ts";
import { worldFor } from "./testing/provider-world.ts";
import { headersFor, openWorld, refused, resolved } from "./testing/world.ts";

const key = "sk-0123456789abcdef";
const profileOf = (id: string) => {
  const found = builtinProviders.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no record ${id}`);
  return found;
};

describe("what the resolver answers", () => {
  test("[20:R3.1] provider, wire, address, right to use it and where that came from; what was asked for beside it", async () => {
    using world = openWorld({ env: { DEEPSEEK_API_KEY: key } });
    const answer = await resolved({ provider: "deep-seek" }, world.context);
    expect(answer).toMatchObject({
      requestedProvider: "deep-seek",
      target: {
        provider: "deepseek",
        protocol: "chat_completions",
        baseUrl: "https://api.deepseek.com/v1",
        source: "env:DEEPSEEK_API_KEY",
      },
    });
    expect(await headersFor(answer.target, "https://api.deepseek.com/v1/chat/completions")).toEqual({
      Authorization: `Bearer ${key}`,
    });
    expect(answer.pool).toBeDefined();
  });

  test("[20:R3.1][20:R3.32] a Codex login of the store: its wire, until when it is good, and its own session", async () => {
    using world = await worldFor(profileOf("openai-codex"));
    const answer = await resolved({ provider: "openai-codex" }, world.context);
    expect(answer.target).toMatchObject({
      provider: "openai-codex",
      protocol: "codex_responses",
      baseUrl: "https://chatgpt.com/backend-api/codex",
    });
    expect(answer.expiresAtMs).toBeGreaterThan(world.clock.now());
    expect(answer.target.credential.allowedHosts).toContain("chatgpt.com");
  });

  test("[20:R3.1] the region of a cloud and the program of a provider without a server", async () => {
    using cloud = openWorld({
      env: { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret-0123456789", AWS_REGION: "eu-west-1" },
    });
    expect((await resolved({ provider: "bedrock" }, cloud.context)).region).toBe("eu-west-1");
    using guarded = openWorld({
      settings: { bedrock: { guardrail: { guardrail_identifier: "gr-1", guardrail_version: "2", trace: "enabled" } } },
      env: { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret-0123456789", AWS_REGION: "eu-west-1" },
    });
    const { target: guardedTarget } = await resolved(
      { provider: "bedrock", model: "amazon.nova-pro-v1:0" },
      guarded.context,
    );
    expect(guardedTarget.quirks.extraBody).toEqual({
      guardrailConfig: { guardrailIdentifier: "gr-1", guardrailVersion: "2", trace: "enabled" },
    });
    using agent = openWorld({ env: { HERMES_COPILOT_ACP_ARGS: "--acp --fast" } });
    writeFileSync(path.join(agent.folder, "copilot"), "#!/bin/sh\n", { mode: 0o755 });
    const { target, command, args } = await resolved({ provider: "copilot-acp" }, agent.context);
    expect([command, args]).toEqual(["copilot", ["--acp", "--fast"]]);
    expect(target.program).toEqual({ command: path.join(agent.folder, "copilot"), args });
  });
});

describe("without its credential", () => {
  test.each([
    ["api_key", "deepseek", "missing_api_key", "DEEPSEEK_API_KEY"],
    ["oauth_device_code", "nous", "relogin_required", "hermes auth add nous"],
    ["oauth_external", "openai-codex", "codex_auth_missing", "hermes auth add openai-codex"],
    ["oauth_external", "qwen-oauth", "qwen_auth_missing", "hermes auth add qwen-oauth"],
    ["external_process", "copilot-acp", "missing_copilot_cli", "copilot"],
    ["aws_sdk", "bedrock", "no_aws_credentials", "AWS"],
  ])(
    "[20:R2.2] a provider of the kind %s (%s) says what is missing and how to get it",
    async (kind, id, code, hint) => {
      expect(profileOf(id).authKind).toBe(kind);
      using world = openWorld({});
      const failure = await refused({ provider: id, model: "m" }, world.context);
      expect(failure.code).toBe(code);
      expect(`${failure.message} ${failure.hint}`).toContain(hint);
    },
  );

  test("[20:R2.2] an endpoint of one's own needs none", async () => {
    using world = openWorld({ settings: { model: { provider: "custom", base_url: "http://localhost:1/v1" } } });
    const { target } = await resolved({ model: "m" }, world.context);
    expect(await headersFor(target, "http://localhost:1/v1/models")).toEqual({});
  });
});

describe("services that speak the common language", () => {
  test.each([
    "https://api.together.xyz/v1",
    "https://api.groq.com/openai/v1",
    "https://api.fireworks.ai/inference/v1",
    "https://api.cerebras.ai/v1",
    "https://api.mistral.ai/v1",
    "http://localhost:4000/v1",
    "http://127.0.0.1:1337/v1",
  ])("[20:R2.4] %s works as an endpoint of one's own, with its key and nobody else's", async (base_url) => {
    using world = openWorld({
      settings: { custom_providers: [{ name: "theirs", base_url, key_env: "THEIR_KEY" }] },
      env: { THEIR_KEY: key, OPENROUTER_API_KEY: "sk-or-0123456789abcdef" },
    });
    const { target } = await resolved({ provider: "theirs", model: "some-model" }, world.context);
    expect([target.provider, target.protocol, target.baseUrl]).toEqual(["custom:theirs", "chat_completions", base_url]);
    expect(await headersFor(target, `${base_url}/chat/completions`)).toEqual({ Authorization: `Bearer ${key}` });
  });
});
