import { describe, expect, test } from "vitest";
import { readNamedEndpoints } from "../custom.ts";
import { parseModelArgument } from "../model-argument.ts";
import { ProviderRegistry } from "../registry.ts";
import { newestOf } from "./model-alias.ts";
import { modelWarning, normalizeModelName, vendorOf } from "./model-name.ts";

const registry = new ProviderRegistry();
const at = (provider: string, model: string): string => {
  const profile = registry.find(provider);
  return profile === undefined ? "?" : normalizeModelName(model, profile);
};

describe("model names", () => {
  test.each([
    ["openrouter", "claude-sonnet-4.6", "anthropic/claude-sonnet-4.6"],
    ["anthropic", "claude-sonnet-4.6", "claude-sonnet-4-6"],
    ["copilot", "claude-sonnet-4.6", "claude-sonnet-4.6"],
    ["copilot", "anthropic/claude-sonnet-4-6", "claude-sonnet-4.6"],
  ])("[20:A2.3] on %s %s is %s", (provider, model, expected) => expect(at(provider, model)).toBe(expected));

  test.each([
    ["anthropic", "anthropic/claude-opus-4.7", "claude-opus-4-7"],
    ["nous", "gpt-5.4", "openai/gpt-5.4"],
    ["ai-gateway", "o3-mini", "openai/o3-mini"],
    ["kilocode", "gemma-3", "google/gemma-3"],
    ["openrouter", "somebody/model:free", "somebody/model:free"],
    ["openrouter", "unheard-of", "unheard-of"],
    ["openai-codex", "openai/gpt-5.5", "gpt-5.5"],
    ["gemini", "gemini-3.1-pro-preview", "gemini-3.1-pro-preview"],
    ["huggingface", "moonshotai/Kimi-K2.5:fastest", "moonshotai/Kimi-K2.5:fastest"],
    ["opencode-zen", "claude-sonnet-4.6", "claude-sonnet-4-6"],
    ["opencode-zen", "kimi-k2.5", "kimi-k2.5"],
    ["opencode-zen", "opencode/gpt-5.4", "gpt-5.4"],
    ["xiaomi", "MiMo-V2.5-Pro", "mimo-v2.5-pro"],
    ["alibaba", "alibaba/qwen3.5-plus", "qwen3.5-plus"],
    ["zai", "zai/glm-5.1", "glm-5.1"],
    ["deepseek", "deepseek-v4-pro", "deepseek-v4-pro"],
    ["deepseek", "deepseek-r1", "deepseek-reasoner"],
    ["deepseek", "deepseek/deepseek-reasoner", "deepseek-reasoner"],
    ["deepseek", "anything", "deepseek-chat"],
    ["custom", "Qwen/Qwen3-27B:latest", "Qwen/Qwen3-27B:latest"],
    ["nvidia", "nvidia/nemotron-3-super-120b-a12b", "nvidia/nemotron-3-super-120b-a12b"],
  ])("[20:R2.11] on %s %s is %s", (provider, model, expected) => expect(at(provider, model)).toBe(expected));

  test("[20:R2.11] the maker follows from the first word", () => {
    const names = [
      "glm-5",
      "kimi-k2",
      "minimax-m2",
      "grok-4",
      "qwen3-max",
      "mimo-v2",
      "trinity-large",
      "nemotron-3",
      "llama-4",
      "step-3.5",
      "o4-mini",
    ];
    expect(names.map(vendorOf)).toEqual([
      "z-ai",
      "moonshotai",
      "minimax",
      "x-ai",
      "qwen",
      "xiaomi",
      "arcee-ai",
      "nvidia",
      "meta-llama",
      "stepfun",
      "openai",
    ]);
  });
});

describe("short names", () => {
  const offered = [
    "anthropic/claude-opus-4.6",
    "anthropic/claude-opus-4.7",
    "anthropic/claude-opus-4.7-preview",
    "anthropic/claude-sonnet-4.6",
    "openai/gpt-5.4-mini",
    "openai/gpt-5.4",
    "openai/gpt-4.1",
    "openai/gpt-5.2-codex",
    "moonshotai/kimi-k2.6",
    "moonshotai/kimi-k2.5",
    "qwen/qwen3.5-plus",
    "qwen/qwen3-coder",
    "deepseek/deepseek-v4-pro",
    "z-ai/glm-5.1",
    "z-ai/glm-5",
  ];
  test.each([
    ["opus", "anthropic/claude-opus-4.7"],
    ["claude", "anthropic/claude-opus-4.7"],
    ["sonnet", "anthropic/claude-sonnet-4.6"],
    ["gpt", "openai/gpt-5.4"],
    ["gpt5", "openai/gpt-5.4"],
    ["codex", "openai/gpt-5.2-codex"],
    ["kimi", "moonshotai/kimi-k2.6"],
    ["qwen", "qwen/qwen3.5-plus"],
    ["glm", "z-ai/glm-5.1"],
    ["grok", undefined],
    ["nonsense", undefined],
    ["constructor", undefined],
  ])("[20:R2.13] %s means %s", (alias, expected) => expect(newestOf(alias, offered)).toBe(expected));

  test("[20:R2.13] a dated name is no higher version", () => {
    expect(newestOf("haiku", ["claude-haiku-4-5-20251001", "claude-haiku-4-6"])).toBe("claude-haiku-4-6");
  });
});

describe("what is typed after /model", () => {
  const { endpoints: named } = readNamedEndpoints(
    [{ name: "Local", base_url: "http://localhost:8080/v1" }],
    undefined,
    registry,
  );
  const read = (text: string): object => parseModelArgument(text, { registry, named });

  test("[20:A2.4] a named endpoint with a model", () => {
    expect(read("custom:local:qwen-2.5")).toEqual({ provider: "custom:local", model: "qwen-2.5" });
  });
  test("[20:A2.5] a colon after an unknown word belongs to the model", () => {
    expect(read("anthropic/claude-3.5-sonnet:beta")).toEqual({ model: "anthropic/claude-3.5-sonnet:beta" });
  });
  test.each([
    ["openrouter:moonshotai/kimi-k2.6:free", { provider: "openrouter", model: "moonshotai/kimi-k2.6:free" }],
    ["qwen3:27b", { model: "qwen3:27b" }],
    ["x/y:free", { model: "x/y:free" }],
    ["custom", { provider: "custom" }],
    ["custom:some-model", { provider: "custom", model: "some-model" }],
    ["custom:local", { provider: "custom:local" }],
    ["local:llama", { provider: "local", model: "llama" }],
    ["gpt-5.4 --provider openai", { provider: "openai", model: "gpt-5.4" }],
    ["--provider=zai", { provider: "zai" }],
    ["  opus ", { model: "opus" }],
    ["", {}],
  ])("[20:R2.12] %s", (text, expected) => expect(read(text)).toEqual(expected));
});

describe("models that are not made for agents", () => {
  test.each(["nousresearch/hermes-4-405b", "hermes-3-llama-3.1-70b", "NousResearch/Hermes-4:free", "hermes-4"])(
    "[20:R2.16] warns about %s",
    (model) => expect(modelWarning(model)).toContain(model),
  );
  test.each(["moonshotai/kimi-k2.6", "hermes-42", "my-hermes-agent", "hermes-2-pro", "openhermes-40"])(
    "[20:R2.16] has nothing against %s",
    (model) => expect(modelWarning(model)).toBeUndefined(),
  );
});
