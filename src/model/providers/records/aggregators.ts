import { openRouterAccount } from "../account-probes.ts";
import { profile } from "../provider.ts";

export const nous = profile({
  id: "nous",
  label: "Nous Portal",
  authKind: "oauth_device_code",
  baseUrl: "https://inference-api.nousresearch.com/v1",
  baseUrlEnv: ["NOUS_INFERENCE_BASE_URL"],
  isAggregator: true,
  // Hermes models answer well but do not drive tools well; they stay reachable by name.
  models: { path: "/models", hide: /hermes/i },
  curatedModels: ["moonshotai/kimi-k2.6", "anthropic/claude-opus-4.7", "openai/gpt-5.4"],
  auxModel: "google/gemini-3-flash-preview",
  sideCallRank: 2,
  hasSharedLimits: true,
  asksWholeClaudeOutput: true,
  quirks: { extraBody: { tags: ["product=hermes-agent"] } },
  quirkRules: [
    { quirks: { omitDisabledReasoning: true } },
    { protocol: "chat_completions", quirks: { reasoning: "openrouter" } },
  ],
  modelNaming: "vendor-prefixed",
  signUpUrl: "https://portal.nousresearch.com",
});

export const openrouter = profile({
  id: "openrouter",
  label: "OpenRouter",
  signUpUrl: "https://openrouter.ai/settings/keys",
  aliases: ["or", "open-router"],
  baseUrl: "https://openrouter.ai/api/v1",
  baseUrlEnv: ["OPENROUTER_BASE_URL"],
  keyEnv: ["OPENROUTER_API_KEY"],
  keyPrefixes: ["sk-or-"],
  keepsKeysHome: true,
  isAggregator: true,
  isFirstChoice: true,
  sideCallRank: 1,
  asksWholeClaudeOutput: true,
  takesRouting: true,
  models: { path: "/models", keep: "tools-parameter", cacheMs: 3_600_000 },
  catalogue: { isPublicList: true },
  account: openRouterAccount,
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
  // Claude streams tool arguments only when asked to.
  modelHeaders: [{ model: /claude/i, headers: { "x-anthropic-beta": "fine-grained-tool-streaming-2025-05-14" } }],
  quirkRules: [
    { protocol: "chat_completions", quirks: { reasoning: "none" } },
    // Upstreams that take a `reasoning` object; others answer 400 to it.
    {
      protocol: "chat_completions",
      model: /^(?:deepseek\/|anthropic\/|openai\/|x-ai\/|google\/gemini-2|qwen\/qwen3)/,
      quirks: { reasoning: "openrouter" },
    },
    { model: /claude/, quirks: { cacheMarks: "message" } },
  ],
  modelNaming: "vendor-prefixed",
});

export const aiGateway = profile({
  id: "ai-gateway",
  label: "Vercel AI Gateway",
  signUpUrl: "https://vercel.com/ai-gateway",
  aliases: ["aigateway", "vercel", "vercel-ai-gateway"],
  baseUrl: "https://ai-gateway.vercel.sh/v1",
  baseUrlEnv: ["AI_GATEWAY_BASE_URL"],
  keyEnv: ["AI_GATEWAY_API_KEY"],
  isAggregator: true,
  models: { path: "/models", keep: "language-with-tool-use" },
  catalogue: { name: "vercel" },
  curatedModels: ["moonshotai/kimi-k2.6", "anthropic/claude-sonnet-4.6", "openai/gpt-5.4"],
  auxModel: "google/gemini-3-flash",
  headers: { "X-Title": "Hermes" },
  quirkRules: [{ protocol: "chat_completions", quirks: { reasoning: "openrouter" } }],
  modelNaming: "vendor-prefixed",
});

export const kilocode = profile({
  id: "kilocode",
  label: "Kilo Code",
  signUpUrl: "https://app.kilo.ai",
  aliases: ["kilo", "kilo-code", "kilo-gateway"],
  baseUrl: "https://api.kilo.ai/api/gateway",
  baseUrlEnv: ["KILOCODE_BASE_URL"],
  keyEnv: ["KILOCODE_API_KEY"],
  isAggregator: true,
  catalogue: { name: "kilo" },
  curatedModels: ["anthropic/claude-opus-4.6", "anthropic/claude-sonnet-4.6", "openai/gpt-5.4"],
  auxModel: "google/gemini-3-flash-preview",
  modelNaming: "vendor-prefixed",
});

const opencodeQuirks = [
  { protocol: "anthropic_messages", quirks: { hyphenatedModel: false } },
  { model: /qwen/, quirks: { cacheMarks: "message" } },
] as const;

export const opencodeZen = profile({
  id: "opencode-zen",
  label: "OpenCode Zen",
  signUpUrl: "https://opencode.ai/auth",
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
  catalogue: { name: "opencode" },
  curatedModels: ["kimi-k2.5", "claude-sonnet-4-6", "gpt-5.4"],
  auxModel: "gemini-3-flash",
  quirkRules: opencodeQuirks,
  modelNaming: "opencode",
});

export const opencodeGo = profile({
  id: "opencode-go",
  label: "OpenCode Go",
  signUpUrl: "https://opencode.ai/auth",
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
  quirkRules: opencodeQuirks,
  modelNaming: "opencode",
});
