import { profile } from "./provider.ts";

export const codex = profile({
  id: "openai-codex",
  label: "OpenAI Codex (ChatGPT login)",
  aliases: ["codex"],
  authKind: "oauth_external",
  baseUrl: "https://chatgpt.com/backend-api/codex",
  baseUrlEnv: ["HERMES_CODEX_BASE_URL"],
  protocol: "codex_responses",
  models: { path: "/models?client_version=1.0.0", keep: "not-hidden", sortBy: "priority" },
  curatedModels: ["gpt-5.5", "gpt-5.4", "gpt-5.2-codex"],
  auxModel: "gpt-5.2-codex",
  isSubscription: true,
  modelNaming: "bare-dots",
  policyNotice:
    "The ChatGPT login is made for OpenAI's own Codex program; requests name that client, since the endpoint refuses others.",
});
