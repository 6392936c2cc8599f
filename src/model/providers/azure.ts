import { hostMatches } from "./hosts.ts";
import { profile } from "./provider.ts";

export const azureFoundry = profile({
  id: "azure-foundry",
  label: "Azure AI Foundry",
  baseUrl: "",
  baseUrlEnv: ["AZURE_FOUNDRY_BASE_URL"],
  keyEnv: ["AZURE_FOUNDRY_API_KEY"],
  protocol: "chat_completions",
  curatedModels: [],
  modelNaming: "as-given",
});

const azureDomains = [
  "openai.azure.com",
  "services.ai.azure.com",
  "cognitiveservices.azure.com",
  "models.ai.azure.com",
];

export function isAzureUrl(url: string): boolean {
  return azureDomains.some((domain) => hostMatches(url, domain));
}

export function isAzureOpenAiUrl(url: string): boolean {
  return hostMatches(url, "openai.azure.com");
}
