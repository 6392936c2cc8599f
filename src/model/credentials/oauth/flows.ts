import { createAnthropicFlow } from "./anthropic.ts";
import { anthropicCredentials } from "./anthropic-sources.ts";
import { createCodexFlow } from "./codex.ts";
import { createCopilotFlow } from "./copilot.ts";
import type { AuthFlow, FlowContext } from "./flow.ts";
import { createGoogleFlow } from "./google.ts";
import { createNousFlow } from "./nous.ts";
import { createQwenFlow } from "./qwen.ts";

/** Every login that ships, by provider. Plugins add theirs to a copy. */
export function builtinFlows(context: FlowContext): Map<string, AuthFlow> {
  const flows: readonly AuthFlow[] = [
    createNousFlow(context),
    createCodexFlow(context),
    createCopilotFlow(context),
    {
      ...createAnthropicFlow(context),
      find: (options, signal) => anthropicCredentials({ ...options, flow: context }, signal),
    },
    createGoogleFlow(context),
    createQwenFlow(context),
  ];
  return new Map(flows.map((flow) => [flow.provider, flow]));
}
