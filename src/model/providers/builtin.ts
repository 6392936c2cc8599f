import { anthropic } from "./anthropic.ts";
import { azureFoundry } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { codex } from "./codex.ts";
import { copilot, copilotAcp } from "./copilot.ts";
import { customEndpoint } from "./custom-endpoint.ts";
import { gemini } from "./gemini.ts";
import { googleCodeAssist } from "./google-code-assist.ts";
import { minimax, minimaxChina } from "./minimax.ts";
import { nous } from "./nous.ts";
import { openai } from "./openai.ts";
import { openAiCompatible } from "./openai-compatible.ts";
import { opencodeGo, opencodeZen } from "./opencode.ts";
import { openrouter } from "./openrouter.ts";
import type { ProviderProfile } from "./provider.ts";
import { qwenPortal } from "./qwen-portal.ts";
import { xai } from "./xai.ts";

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
  ...openAiCompatible,
  bedrock,
  azureFoundry,
  customEndpoint,
];
