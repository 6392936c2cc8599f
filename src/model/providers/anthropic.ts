import { profile } from "./provider.ts";

export const anthropic = profile({
  id: "anthropic",
  label: "Anthropic",
  aliases: ["claude", "claude-code"],
  baseUrl: "https://api.anthropic.com",
  baseUrlEnv: ["ANTHROPIC_BASE_URL"],
  keyEnv: ["ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
  protocol: "anthropic_messages",
  models: { path: "/v1/models" },
  curatedModels: ["claude-opus-4-7", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"],
  auxModel: "claude-haiku-4-5-20251001",
  modelNaming: "anthropic",
  policyNotice:
    "A Claude subscription token is meant for Anthropic's own programs; using it here may be against its terms, and such requests name that client.",
  signUpUrl: "https://console.anthropic.com/settings/keys",
});
