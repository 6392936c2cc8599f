import { profile } from "./provider.ts";

export const opencodeZen = profile({
  id: "opencode-zen",
  label: "OpenCode Zen",
  aliases: ["opencode", "zen"],
  baseUrl: "https://opencode.ai/zen/v1",
  baseUrlEnv: ["OPENCODE_ZEN_BASE_URL"],
  keyEnv: ["OPENCODE_ZEN_API_KEY"],
  isAggregator: true,
  protocolRules: [
    { model: /^claude-/, protocol: "anthropic_messages" },
    { model: /^gpt-/, protocol: "codex_responses" },
  ],
  protocol: "chat_completions",
  models: { mergeCatalogue: true },
  curatedModels: ["kimi-k2.5", "claude-sonnet-4-6", "gpt-5.4"],
  auxModel: "gemini-3-flash",
  modelNaming: "opencode",
});

export const opencodeGo = profile({
  id: "opencode-go",
  label: "OpenCode Go",
  aliases: ["go", "opencode-go-sub"],
  baseUrl: "https://opencode.ai/zen/go/v1",
  baseUrlEnv: ["OPENCODE_GO_BASE_URL"],
  keyEnv: ["OPENCODE_GO_API_KEY"],
  isAggregator: true,
  protocolRules: [{ model: /^minimax-/i, protocol: "anthropic_messages" }],
  protocol: "chat_completions",
  models: { mergeCatalogue: true },
  curatedModels: ["kimi-k2.6", "glm-5"],
  auxModel: "glm-5",
  isSubscription: true,
  modelNaming: "opencode",
});
