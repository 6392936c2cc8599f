import { profile } from "./provider.ts";

export const defaultBedrockRegion = "us-east-1";

export const bedrock = profile({
  id: "bedrock",
  label: "AWS Bedrock",
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
  curatedModels: ["us.anthropic.claude-sonnet-4-6", "amazon.nova-pro-v1:0"],
  defaultOutputTokens: 4096,
  modelNaming: "as-given",
});

/** Inference and model listing of one region; `amazonaws.com` as a whole would include anyone's bucket. */
export function bedrockHosts(region: string): readonly string[] {
  return [`bedrock-runtime.${region}.amazonaws.com`, `bedrock.${region}.amazonaws.com`];
}
