import { profile } from "./provider.ts";

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
  quirks: { extraBody: { tags: ["product=hermes-agent"] } },
  modelNaming: "vendor-prefixed",
  signUpUrl: "https://portal.nousresearch.com",
});
