import type { JsonSchema } from "#conversation";
import { agentLevelTool, type Tool } from "#tools";
import { blockedTools, delegateTaskName } from "./child-listing.ts";
import { type DelegationSettings, defaultDelegationSettings } from "./settings.ts";

export interface DelegateToolOptions {
  readonly settings?: DelegationSettings;
  /** Toolsets that tools with these names belong to; they are offered as choices. */
  toolsetsOf?(visible: ReadonlySet<string>): readonly string[];
}

/** The definition of `delegate_task`; `createDelegation` gives what answers it. */
export function createDelegateTool(options: DelegateToolOptions = {}): Tool {
  const settings = options.settings ?? defaultDelegationSettings;
  return agentLevelTool({
    name: delegateTaskName,
    toolset: "delegation",
    emoji: "🔀",
    isDelegation: true,
    description: description(settings),
    parameters: parameters(settings, []),
    patchDefinition(definition, visible) {
      const toolsets = options.toolsetsOf?.(visible) ?? [];
      return { ...definition, parameters: parameters(settings, toolsets) };
    },
  });
}

function description({ maxConcurrentChildren, maxSpawnDepth }: DelegationSettings): string {
  return [
    `Give one goal, or up to ${maxConcurrentChildren} independent tasks at once, to fresh agents. They know nothing of this conversation:`,
    "put every path, error text and constraint they need into context. Only their final reports come back.",
    "For work that needs much reasoning or would fill your context; not for a single call or a mechanical loop.",
    `They cannot use ${blockedTools.join(", ")}. Depth limit: ${maxSpawnDepth}.`,
  ].join(" ");
}

function parameters(settings: DelegationSettings, toolsets: readonly string[]): JsonSchema {
  const names = { type: "array", items: { type: "string", ...(toolsets.length === 0 ? {} : { enum: toolsets }) } };
  const role = { type: "string", enum: ["leaf", "orchestrator"], description: "orchestrator may delegate further" };
  const acp = {
    acp_command: { type: "string", enum: settings.acpCommands, description: "Let this program do it" },
    acp_args: { type: "array", items: { type: "string" } },
  };
  const common = {
    goal: { type: "string" },
    context: { type: "string" },
    toolsets: { ...names, description: "Default: yours" },
    ...(settings.maxSpawnDepth > 1 && settings.isOrchestratorEnabled ? { role } : {}),
    ...(settings.acpCommands.length === 0 ? {} : acp),
  };
  const short = { ...common, toolsets: { type: "array", items: { type: "string" } } };
  return {
    type: "object",
    properties: {
      ...common,
      tasks: {
        type: "array",
        description: "Several tasks instead of one goal",
        items: { type: "object", properties: short, required: ["goal"] },
      },
    },
  };
}
