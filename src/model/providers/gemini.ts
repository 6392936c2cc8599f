import { profile } from "./provider.ts";

export const gemini = profile({
  id: "gemini",
  label: "Google Gemini",
  aliases: ["google", "google-gemini", "google-ai-studio"],
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  baseUrlEnv: ["GEMINI_BASE_URL"],
  keyEnv: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
  protocol: "gemini_generate",
  models: { mergeCatalogue: true },
  curatedModels: ["gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro"],
  auxModel: "gemini-3-flash-preview",
  modelNaming: "as-given",
  signUpUrl: "https://aistudio.google.com/apikey",
});
