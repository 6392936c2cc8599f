import { profile } from "../provider.ts";
import { bedrockWindow } from "./bedrock-windows.ts";

export const defaultBedrockRegion = "us-east-1";

export const bedrock = profile({
  id: "bedrock",
  label: "AWS Bedrock",
  signUpUrl: "https://console.aws.amazon.com/bedrock",
  aliases: ["aws", "aws-bedrock", "amazon-bedrock", "amazon"],
  authKind: "aws_sdk",
  baseUrl: `https://bedrock-runtime.${defaultBedrockRegion}.amazonaws.com`,
  baseUrlEnv: ["BEDROCK_BASE_URL"],
  keyEnv: ["AWS_BEARER_TOKEN_BEDROCK"],
  // The region's two hosts are added when the region is known.
  allowedHosts: [],
  protocolRules: [{ model: /(?:^|\.)anthropic\.claude/, protocol: "anthropic_messages" }],
  protocol: "bedrock_converse",
  models: { cacheMs: 3_600_000 },
  catalogue: { name: "amazon-bedrock", windowOf: bedrockWindow },
  curatedModels: ["us.anthropic.claude-sonnet-4-6", "amazon.nova-pro-v1:0"],
  defaultOutputTokens: 4096,
  quirkRules: [
    { protocol: "anthropic_messages", quirks: { hyphenatedModel: false } },
    { model: /claude/, quirks: { thinkingReplay: "signed" } },
  ],
  modelNaming: "as-given",
});

/** Inference and model listing of one region; `amazonaws.com` as a whole would include anyone's bucket. */
export function bedrockHosts(region: string): readonly string[] {
  return [`bedrock-runtime.${region}.amazonaws.com`, `bedrock.${region}.amazonaws.com`];
}

export const azureFoundry = profile({
  id: "azure-foundry",
  label: "Azure AI Foundry",
  signUpUrl: "https://ai.azure.com",
  baseUrl: "",
  baseUrlEnv: ["AZURE_FOUNDRY_BASE_URL"],
  keyEnv: ["AZURE_FOUNDRY_API_KEY"],
  protocol: "chat_completions",
  curatedModels: [],
  modelNaming: "as-given",
});

/** Models in files of this home, run by Hermes itself. Address and token are found when one is asked for. */
export const thisMachine = profile({
  id: "local",
  label: "This machine",
  authKind: "none",
  baseUrl: "http://127.0.0.1",
  protocol: "chat_completions",
  curatedModels: [],
  isServedHere: true,
  quirks: { acceptsPromptCacheKey: true, supportsImages: false },
  modelNaming: "as-given",
});

/** The user's own endpoint. Everything about it comes from the settings; it is never called by another name. */
export const customEndpoint = profile({
  id: "custom",
  label: "Custom endpoint",
  aliases: ["ollama", "vllm", "llamacpp", "llama.cpp", "llama-cpp", "lmstudio", "lm-studio", "lm_studio"],
  authKind: "none",
  baseUrl: "",
  models: { path: "/models" },
  curatedModels: [],
  sideCallRank: 3,
  isOwnEndpoint: true,
  quirkRules: [
    { protocol: "chat_completions", quirks: { reasoning: "ollama" } },
    // Most often it is a proxy in front of Anthropic. One that refuses a signature is remembered.
    { protocol: "anthropic_messages", quirks: { thinkingReplay: "signed" } },
  ],
  modelNaming: "as-given",
});
