import { profile } from "./provider.ts";

/** The user's own endpoint. Everything about it comes from the settings; it is never called by another name. */
export const customEndpoint = profile({
  id: "custom",
  label: "Custom endpoint",
  aliases: ["ollama", "vllm", "llamacpp", "llama.cpp", "llama-cpp", "lmstudio", "lm-studio", "lm_studio"],
  authKind: "none",
  baseUrl: "",
  models: { path: "/models" },
  curatedModels: [],
  modelNaming: "as-given",
});
