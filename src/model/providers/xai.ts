import { profile } from "./provider.ts";

export const xai = profile({
  id: "xai",
  label: "xAI",
  aliases: ["x-ai", "x.ai", "grok"],
  baseUrl: "https://api.x.ai/v1",
  baseUrlEnv: ["XAI_BASE_URL"],
  keyEnv: ["XAI_API_KEY"],
  protocol: "codex_responses",
  curatedModels: ["grok-4.20-reasoning", "grok-4-1-fast"],
});
