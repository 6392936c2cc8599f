import type { ProviderProfile } from "../provider.ts";
import { aiGateway, kilocode, nous, opencodeGo, opencodeZen, openrouter } from "./aggregators.ts";
import { anthropic, minimax, minimaxChina } from "./anthropic.ts";
import { gemini, openAiCompatible, openai, xai } from "./chat.ts";
import { azureFoundry, bedrock, customEndpoint, thisMachine } from "./clouds.ts";
import { codex, copilot, copilotAcp, googleCodeAssist, qwenPortal } from "./logins.ts";

/** Every provider that ships, in the order `auto` looks for a usable key. */
export const builtinProviders: readonly ProviderProfile[] = [
  nous,
  openrouter,
  anthropic,
  codex,
  openai,
  copilot,
  copilotAcp,
  gemini,
  googleCodeAssist,
  qwenPortal,
  minimax,
  minimaxChina,
  opencodeZen,
  opencodeGo,
  xai,
  aiGateway,
  kilocode,
  ...openAiCompatible,
  bedrock,
  azureFoundry,
  thisMachine,
  customEndpoint,
];
