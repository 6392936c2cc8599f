import { profile } from "./provider.ts";

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
  curatedModels: ["gpt-5.4", "claude-sonnet-4.6", "gemini-3.1-pro-preview"],
  headers: {
    "Copilot-Integration-Id": "vscode-chat",
    "Openai-Intent": "conversation-edits",
  },
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
  curatedModels: ["copilot-acp"],
  isNeverAutomatic: true,
  isSubscription: true,
  modelNaming: "as-given",
});
