import { anthropicAccount } from "../account-probes.ts";
import { subscriptionHost } from "../anthropic-subscription.ts";
import { profile } from "../provider.ts";

export const anthropic = profile({
  id: "anthropic",
  label: "Anthropic",
  aliases: ["claude", "claude-code"],
  baseUrl: "https://api.anthropic.com",
  baseUrlEnv: ["ANTHROPIC_BASE_URL"],
  keyEnv: ["ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
  keyPrefixes: ["sk-ant-"],
  foreignKeyEnv: ["CLAUDE_CODE_OAUTH_TOKEN"],
  loginHosts: [subscriptionHost],
  azureKeyEnv: ["AZURE_ANTHROPIC_KEY", "ANTHROPIC_API_KEY"],
  protocol: "anthropic_messages",
  models: { path: "/v1/models" },
  catalogue: { isMaker: true },
  account: anthropicAccount,
  curatedModels: ["claude-opus-4-7", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"],
  auxModel: "claude-haiku-4-5-20251001",
  quirkRules: [{ protocol: "anthropic_messages", quirks: { cacheMarks: "block", thinkingReplay: "signed" } }],
  modelNaming: "anthropic",
  policyNotice:
    "A Claude subscription token is meant for Anthropic's own programs; using it here may be against its terms, and such requests name that client.",
  signUpUrl: "https://console.anthropic.com/settings/keys",
});

const minimaxQuirks = [{ protocol: "anthropic_messages", quirks: { hyphenatedModel: false } }] as const;

export const minimax = profile({
  id: "minimax",
  label: "MiniMax",
  signUpUrl: "https://platform.minimax.io/user-center/basic-information/interface-key",
  baseUrl: "https://api.minimax.io/anthropic",
  baseUrlEnv: ["MINIMAX_BASE_URL"],
  keyEnv: ["MINIMAX_API_KEY"],
  protocol: "anthropic_messages",
  catalogue: { isMaker: true },
  curatedModels: ["MiniMax-M2.7"],
  auxModel: "MiniMax-M2.7",
  quirkRules: minimaxQuirks,
  modelNaming: "as-given",
});

export const minimaxChina = profile({
  id: "minimax-cn",
  label: "MiniMax (China)",
  signUpUrl: "https://platform.minimaxi.com/user-center/basic-information/interface-key",
  aliases: ["minimax-china", "minimax_cn"],
  baseUrl: "https://api.minimaxi.com/anthropic",
  baseUrlEnv: ["MINIMAX_CN_BASE_URL"],
  keyEnv: ["MINIMAX_CN_API_KEY"],
  protocol: "anthropic_messages",
  curatedModels: ["MiniMax-M2.7"],
  auxModel: "MiniMax-M2.7",
  quirkRules: minimaxQuirks,
  modelNaming: "as-given",
});
