import { profile } from "./provider.ts";

export const openai = profile({
  id: "openai",
  label: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  keyEnv: ["OPENAI_API_KEY"],
  protocol: "codex_responses",
  models: { path: "/models" },
  curatedModels: ["gpt-5.4", "gpt-5.4-mini", "gpt-4.1"],
  auxModel: "gpt-5.4-mini",
  signUpUrl: "https://platform.openai.com/api-keys",
});
