import { codexAccount } from "../account-probes.ts";
import { profile } from "../provider.ts";

export const codex = profile({
  id: "openai-codex",
  label: "OpenAI Codex (ChatGPT login)",
  aliases: ["codex"],
  authKind: "oauth_external",
  baseUrl: "https://chatgpt.com/backend-api/codex",
  baseUrlEnv: ["HERMES_CODEX_BASE_URL"],
  protocol: "codex_responses",
  models: { path: "/models?client_version=1.0.0", keep: "not-hidden", sortBy: "priority" },
  catalogue: { name: "openai", window: 272_000, learnedBelow: 400_000 },
  account: codexAccount,
  curatedModels: ["gpt-5.5", "gpt-5.4", "gpt-5.2-codex"],
  auxModel: "gpt-5.2-codex",
  sideCallRank: 4,
  isSubscription: true,
  quirkRules: [{ protocol: "codex_responses", quirks: { outputLimitField: "none" } }],
  modelNaming: "bare-dots",
  missingLogin: { code: "codex_auth_missing", message: "There is no ChatGPT login for Codex." },
  policyNotice:
    "The ChatGPT login is made for OpenAI's own Codex program; requests name that client, since the endpoint refuses others.",
});

export const copilot = profile({
  id: "copilot",
  label: "GitHub Copilot",
  aliases: ["github", "github-copilot", "github-models", "github-model"],
  baseUrl: "https://api.githubcopilot.com",
  baseUrlEnv: ["COPILOT_API_BASE_URL"],
  keyEnv: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
  allowedHosts: ["api.githubcopilot.com"],
  // GPT from major version 5 on, except the mini of 5 itself, answers on the Responses wire only.
  protocolRules: [
    { model: /^gpt-5-mini/, protocol: "chat_completions" },
    { model: /^gpt-(?:[5-9]|[1-9]\d)(?!\d)/, protocol: "codex_responses" },
  ],
  protocol: "chat_completions",
  models: { path: "/models" },
  catalogue: { name: "github-copilot" },
  curatedModels: ["gpt-5.4", "claude-sonnet-4.6", "gemini-3.1-pro-preview"],
  headers: {
    "Copilot-Integration-Id": "vscode-chat",
    "Openai-Intent": "conversation-edits",
  },
  quirkRules: [
    { quirks: { acceptsPromptCacheKey: false } },
    { protocol: "chat_completions", quirks: { reasoning: "copilot" } },
    { protocol: "codex_responses", quirks: { reasoning: "copilot" } },
  ],
  isNeverAutomatic: true,
  isSubscription: true,
  modelNaming: "bare-dots",
  policyNotice: "Copilot is licensed per person for use in editors; check that your plan covers an agent.",
  signUpUrl: "https://github.com/settings/copilot",
});

/** The Copilot command line program, spoken to over its own pipes. */
export const copilotAcp = profile({
  id: "copilot-acp",
  label: "GitHub Copilot CLI (ACP)",
  aliases: ["github-copilot-acp", "copilot-acp-agent"],
  authKind: "external_process",
  baseUrl: "acp://copilot",
  baseUrlEnv: ["COPILOT_ACP_BASE_URL"],
  protocol: "chat_completions",
  catalogue: { name: "github-copilot" },
  curatedModels: ["copilot-acp"],
  isNeverAutomatic: true,
  isSubscription: true,
  modelNaming: "as-given",
});

/** Stands for Code Assist in settings and targets; the wire puts the real address in its place. */
export const codeAssistMarker = "cloudcode-pa://google";

/** Where requests for the marker address really go. */
export const codeAssistUrl = "https://cloudcode-pa.googleapis.com/v1internal";

export const googleCodeAssist = profile({
  id: "google-gemini-cli",
  label: "Google Gemini (Code Assist login)",
  aliases: ["gemini-cli", "gemini-oauth"],
  authKind: "oauth_external",
  baseUrl: codeAssistMarker,
  allowedHosts: ["cloudcode-pa.googleapis.com"],
  protocol: "gemini_generate",
  catalogue: { name: "google" },
  curatedModels: ["gemini-3.1-pro-preview", "gemini-3-flash-preview"],
  isSubscription: true,
  modelNaming: "as-given",
  policyNotice:
    "Google's free Code Assist login is made for Google's own program; Google may treat other uses as a breach of its terms.",
});

export const qwenPortal = profile({
  id: "qwen-oauth",
  label: "Qwen (portal login)",
  aliases: ["qwen-portal", "qwen-cli"],
  authKind: "oauth_external",
  baseUrl: "https://portal.qwen.ai/v1",
  baseUrlEnv: ["HERMES_QWEN_BASE_URL"],
  catalogue: { name: "alibaba" },
  curatedModels: ["qwen3-coder-plus", "qwen3-max"],
  headers: { "X-DashScope-CacheControl": "enable", "X-DashScope-AuthType": "qwen-oauth" },
  defaultOutputTokens: 65_536,
  isSubscription: true,
  quirkRules: [{ quirks: { contentAsParts: true, extraBody: { vl_high_resolution_images: true } } }],
  missingLogin: { code: "qwen_auth_missing", message: "There is no login of the Qwen Code program." },
  policyNotice: "This reads the login of the Qwen Code program; requests name that client, which the portal expects.",
});
