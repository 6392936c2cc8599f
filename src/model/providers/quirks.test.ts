import { describe, expect, test } from "vitest";
import type { ProtocolName, TargetQuirks } from "../target.ts";
import { identificationFor, identificationRows } from "./identification.ts";
import { quirksFor } from "./quirks.ts";
import { ProviderRegistry } from "./registry.ts";

const registry = new ProviderRegistry();
const of = (provider: string, model: string, protocol: ProtocolName, baseUrl: string): TargetQuirks =>
  quirksFor({ model, protocol, baseUrl }, [registry.find(provider.replace(/:.*/, "")), registry.ownerOf(baseUrl)]);
const openrouter = "https://openrouter.ai/api/v1";
const anthropic = "https://api.anthropic.com";

describe("quirks", () => {
  test.each<readonly [string, TargetQuirks["cacheMarks"], TargetQuirks]>([
    ["native Anthropic", "block", of("anthropic", "claude-opus-4-7", "anthropic_messages", anthropic)],
    [
      "OpenRouter with Claude",
      "message",
      of("openrouter", "anthropic/claude-opus-4.7", "chat_completions", openrouter),
    ],
    ["OpenRouter with another model", undefined, of("openrouter", "openai/gpt-4.1", "chat_completions", openrouter)],
    ["GPT-5 on OpenRouter", undefined, of("openrouter", "openai/gpt-5.4", "codex_responses", openrouter)],
    [
      "Claude behind another Anthropic-like host",
      "block",
      of("custom", "claude-opus-4-7", "anthropic_messages", "https://p.test/anthropic"),
    ],
    ["MiniMax", undefined, of("minimax", "MiniMax-M2.7", "anthropic_messages", "https://api.minimax.io/anthropic")],
    [
      "Qwen at Alibaba",
      "message",
      of("alibaba", "qwen3.5-plus", "chat_completions", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    ],
    ["Qwen elsewhere", undefined, of("custom", "qwen3", "chat_completions", "http://localhost:1/v1")],
    [
      "Kimi at Alibaba",
      undefined,
      of("alibaba", "kimi-k2", "chat_completions", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    ],
  ])("[20:R1.66] [10:A4.9] cache marks: %s", (_what, expected, quirks) => expect(quirks.cacheMarks).toBe(expected));

  test.each<readonly [string, TargetQuirks["reasoning"], TargetQuirks]>([
    ["Claude 4.5", "anthropic-budget", of("anthropic", "claude-sonnet-4-5", "anthropic_messages", anthropic)],
    [
      "dated Claude 4",
      "anthropic-budget",
      of("anthropic", "claude-sonnet-4-20250514", "anthropic_messages", anthropic),
    ],
    ["Claude 4.6", "anthropic-adaptive-max", of("anthropic", "claude-sonnet-4-6", "anthropic_messages", anthropic)],
    ["Claude 4.7", "anthropic-adaptive-xhigh", of("anthropic", "claude-opus-4-7", "anthropic_messages", anthropic)],
    ["Claude 5", "anthropic-adaptive-xhigh", of("anthropic", "claude-opus-5", "anthropic_messages", anthropic)],
    ["Haiku", "none", of("anthropic", "claude-haiku-4-6", "anthropic_messages", anthropic)],
    ["Responses", "responses", of("openai", "gpt-5.4", "codex_responses", "https://api.openai.com/v1")],
    ["xAI", "responses-include-only", of("xai", "grok-4", "codex_responses", "https://api.x.ai/v1")],
    ["Copilot", "copilot", of("copilot", "gpt-5.4", "codex_responses", "https://api.githubcopilot.com")],
    [
      "OpenRouter where upstream takes it",
      "openrouter",
      of("openrouter", "qwen/qwen3-max", "chat_completions", openrouter),
    ],
    [
      "OpenRouter where upstream does not",
      "none",
      of("openrouter", "google/gemini-3-pro", "chat_completions", openrouter),
    ],
    ["Kimi", "kimi", of("kimi-coding", "kimi-k2.6", "chat_completions", "https://api.moonshot.ai/v1")],
    ["Kimi for coding", "none", of("kimi-coding", "kimi-k2.6", "anthropic_messages", "https://api.kimi.com/coding")],
    ["own endpoint", "ollama", of("custom:mine", "llama", "chat_completions", "http://localhost:1/v1")],
    [
      "Gemini",
      "gemini",
      of("gemini", "gemini-3", "gemini_generate", "https://generativelanguage.googleapis.com/v1beta"),
    ],
  ])("[20:R1.54] reasoning: %s", (_what, expected, quirks) => expect(quirks.reasoning).toBe(expected));

  test("[20:R1.43] thinking is replayed only where its signature can be checked", () => {
    const replay = (provider: string, baseUrl: string): unknown =>
      of(provider, "claude-x", "anthropic_messages", baseUrl).thinkingReplay;
    expect([
      replay("anthropic", anthropic),
      replay("minimax", "https://api.minimax.io/anthropic"),
      replay("kimi-coding", "https://api.kimi.com/coding"),
    ]).toEqual(["signed", "none", "unsigned"]);
  });

  test("[20:R1.57] the name of the output limit", () => {
    const field = (provider: string, protocol: ProtocolName, baseUrl: string): unknown =>
      of(provider, "gpt-4.1", protocol, baseUrl).outputLimitField;
    expect([
      field("custom", "chat_completions", "https://api.openai.com/v1"),
      field("custom", "chat_completions", "https://x.openai.azure.com/openai/v1"),
      field("openai-codex", "codex_responses", "https://chatgpt.com/backend-api/codex"),
      field("deepseek", "chat_completions", "https://api.deepseek.com/v1"),
      field("custom", "chat_completions", "https://api.openai.com.evil.test/v1"),
    ]).toEqual(["max_completion_tokens", "max_completion_tokens", "none", undefined, undefined]);
  });

  test("[20:R1.21] DeepSeek and Kimi want reasoning_content; [20:R1.20] GPT-5 on chat wants the developer role", () => {
    expect(
      of("deepseek", "deepseek-chat", "chat_completions", "https://api.deepseek.com/v1").requiresReasoningContent,
    ).toBe(true);
    expect(
      of("kimi-coding", "kimi-k2.6", "chat_completions", "https://api.moonshot.ai/v1").requiresReasoningContent,
    ).toBe(true);
    expect(of("openrouter", "openai/gpt-4.1", "chat_completions", openrouter).requiresReasoningContent).toBeUndefined();
    expect(of("custom", "gpt-5.4", "chat_completions", "https://x.openai.azure.com/v1").developerRole).toBe(true);
  });

  test("Kimi's schema repair also behind an aggregator; names keep dots where the host wants them", () => {
    expect(of("openrouter", "moonshotai/kimi-k2.6", "chat_completions", openrouter).toolSchema).toBe("moonshot");
    expect(of("kimi-coding", "kimi-k2.6", "chat_completions", "https://api.moonshot.ai/v1").omitTemperature).toBe(true);
    expect(of("anthropic", "claude-opus-4-7", "anthropic_messages", anthropic)).toMatchObject({
      hyphenatedModel: true,
      omitTemperature: true,
    });
    expect(
      of("minimax", "MiniMax-M2.7", "anthropic_messages", "https://api.minimax.io/anthropic").hyphenatedModel,
    ).toBe(false);
  });

  test("[20:R1.35] Copilot never gets a cache key; Nous leaves switched-off reasoning out", () => {
    expect(of("copilot", "gpt-5.4", "codex_responses", "https://api.githubcopilot.com").acceptsPromptCacheKey).toBe(
      false,
    );
    expect(of("openai", "gpt-5.4", "codex_responses", "https://api.openai.com/v1").acceptsPromptCacheKey).toBe(true);
    expect(
      of("nous", "openai/gpt-4.1", "chat_completions", "https://inference-api.nousresearch.com/v1")
        .omitDisabledReasoning,
    ).toBe(true);
  });
});

describe("how Hermes names itself", () => {
  const facts = { version: "9.9.9", hasLogin: true, isNoticeAccepted: true, platform: "linux", arch: "x64" } as const;

  test("everywhere else it is its own name", () => {
    expect(identificationFor("https://api.deepseek.com/v1", facts).headers).toEqual({
      "User-Agent": "HermesAgent/9.9.9",
    });
  });

  test("[20:R1.52] another client's name only after the notice was accepted, and never for a look-alike host", () => {
    const imitating = identificationRows.filter((row) => row.imitates);
    expect(imitating).toHaveLength(5);
    for (const row of imitating) {
      const url = `https://${row.host}${row.pathPrefix ?? ""}`;
      const plain = identificationFor(url, { ...facts, isNoticeAccepted: false });
      expect([url, plain.headers["User-Agent"], plain.isIncomplete]).toEqual([url, "HermesAgent/9.9.9", true]);
      expect(identificationFor(url, facts).headers["User-Agent"]).not.toContain("HermesAgent/");
      const twin = `https://${row.host}.evil.test${row.pathPrefix ?? ""}`;
      expect(identificationFor(twin, facts).headers).toEqual({ "User-Agent": "HermesAgent/9.9.9" });
    }
  });

  test("[20:R1.52] an Anthropic API key needs no other name", () => {
    expect(identificationFor("https://api.anthropic.com", { ...facts, hasLogin: false })).toEqual({
      headers: { "User-Agent": "HermesAgent/9.9.9" },
      isIncomplete: false,
    });
  });

  test("values are filled in", () => {
    expect(identificationFor("https://portal.qwen.ai/v1", facts).headers["User-Agent"]).toBe(
      "QwenCode/0.14.1 (linux; x64)",
    );
    expect(identificationFor("https://api.anthropic.com", facts).headers).toEqual({
      "User-Agent": "claude-cli/2.1.74 (external, cli)",
      "x-app": "cli",
    });
    expect(identificationFor("https://api.kimi.com/codingx", facts).headers["User-Agent"]).toBe("HermesAgent/9.9.9");
  });
});
