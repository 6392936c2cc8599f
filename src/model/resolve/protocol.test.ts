import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { withAcceptedNotice } from "../credentials/auth-state.ts";
import { headersFor, openWorld, resolved } from "./testing/world.ts";

const key = "sk-0123456789abcdef";

describe("wires", () => {
  test("[20:A1.1] [20:R1.11] [20:R1.13] [20:R1.14] [10:LOOP-4] GPT-5 at OpenAI's address speaks Responses", async () => {
    using world = openWorld({});
    expect(
      (await resolved({ baseUrl: "https://api.openai.com/v1", model: "gpt-5.4" }, world.context)).target.protocol,
    ).toBe("codex_responses");
  });

  test("[20:A1.2] [20:R1.11] [20:R1.13] [10:LOOP-4] an address ending in /anthropic speaks Messages with x-api-key, whatever the key looks like", async () => {
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

  test("[20:A1.3] [20:R1.11] [10:LOOP-4] an explicit wire wins", async () => {
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
  ])("[20:R1.11] [20:R1.12] [10:LOOP-4] %s with %s speaks %s", async (provider, model, protocol) => {
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
