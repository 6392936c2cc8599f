import { profile } from "./provider.ts";

export const openrouter = profile({
  id: "openrouter",
  label: "OpenRouter",
  aliases: ["or", "open-router"],
  baseUrl: "https://openrouter.ai/api/v1",
  baseUrlEnv: ["OPENROUTER_BASE_URL"],
  keyEnv: ["OPENROUTER_API_KEY"],
  isAggregator: true,
  models: { path: "/models", keep: "tools-parameter", cacheMs: 3_600_000 },
  curatedModels: [
    "moonshotai/kimi-k2.6",
    "anthropic/claude-opus-4.7",
    "anthropic/claude-sonnet-4.6",
    "openai/gpt-5.4",
    "google/gemini-3.1-pro-preview",
    "deepseek/deepseek-v4-pro",
    "z-ai/glm-5.1",
  ],
  auxModel: "google/gemini-3-flash-preview",
  visionModel: "google/gemini-3-flash-preview",
  headers: {
    "X-OpenRouter-Title": "Hermes",
    "X-OpenRouter-Categories": "cli-agent",
  },
  modelNaming: "vendor-prefixed",
});
