import { profile } from "./provider.ts";

export const qwenPortal = profile({
  id: "qwen-oauth",
  label: "Qwen (portal login)",
  aliases: ["qwen-portal", "qwen-cli"],
  authKind: "oauth_external",
  baseUrl: "https://portal.qwen.ai/v1",
  baseUrlEnv: ["HERMES_QWEN_BASE_URL"],
  curatedModels: ["qwen3-coder-plus", "qwen3-max"],
  headers: { "X-DashScope-CacheControl": "enable", "X-DashScope-AuthType": "qwen-oauth" },
  defaultOutputTokens: 65_536,
  isSubscription: true,
  policyNotice: "This reads the login of the Qwen Code program; requests name that client, which the portal expects.",
});
