import type { JsonSchema } from "#conversation";
import { shortLine } from "#foundation/text/short-text";
import { type ArgumentsOf, defineAbility, defineTool, type Tool, type ToolContext, type ToolResult } from "#tools";
import { type DelegationSettings, defaultDelegationSettings } from "./settings.ts";

const texts = { type: "array", items: { type: "string" } } as const;
const task = {
  goal: { type: "string" },
  context: { type: "string" },
  agent: { type: "string" },
  toolsets: texts,
  role: { type: "string" },
  acp_command: { type: "string" },
  acp_args: texts,
} as const;

/** What is taken; what the settings rule out is answered in words. */
const taken = {
  type: "object",
  properties: {
    ...task,
    background: { type: "boolean" },
    tasks: { type: "array", items: { type: "object", properties: task } },
  },
} as const;

export type DelegateArguments = ArgumentsOf<typeof taken>;

/** Starting children. */
export const delegating = defineAbility<(args: DelegateArguments, context: ToolContext) => Promise<ToolResult>>(
  "delegation",
  "Nobody can be started from here. Do the work yourself.",
);

/** `delegate_task`: work for agents of its own. */
export function createDelegateTool(settings: DelegationSettings = defaultDelegationSettings): Tool {
  return defineTool({
    name: "delegate_task",
    toolset: "delegation",
    emoji: "🔀",
    isDelegation: true,
    effects: "elsewhere",
    description: description(settings),
    parameters: taken,
    shown: shownParameters(settings),
    shorten: ({ goal, tasks }, { text }) =>
      `goal: ${shortLine(goal || (tasks?.[0]?.goal ?? ""), 60)} (${text.length} chars result)`,
    run: (args, context) => context.agent.need(delegating)(args, context),
  });
}

function description({ maxConcurrentChildren, maxSpawnDepth }: DelegationSettings): string {
  return [
    `Give one goal, or up to ${maxConcurrentChildren} independent tasks at once, to fresh agents. They know nothing of this conversation:`,
    "put every path, error text and constraint they need into context. Only their final reports come back.",
    "For work that needs much reasoning or would fill your context; not for a single call or a mechanical loop.",
    `They cannot use clarify, memory, send_message, execute_code, cronjob. Depth limit: ${maxSpawnDepth}.`,
  ].join(" ");
}

function shownParameters(settings: DelegationSettings): JsonSchema {
  const role = { type: "string", enum: ["leaf", "orchestrator"], description: "orchestrator may delegate further" };
  const acp = {
    acp_command: { type: "string", enum: settings.acpCommands, description: "Let this program do it" },
    acp_args: texts,
  };
  const common = {
    goal: task.goal,
    context: task.context,
    agent: { type: "string", description: "One of the agents you were told of" },
    toolsets: { ...texts, description: "Default: yours" },
    ...(settings.maxSpawnDepth > 1 && settings.isOrchestratorEnabled ? { role } : {}),
    ...(settings.acpCommands.length === 0 ? {} : acp),
  };
  return {
    type: "object",
    properties: {
      ...common,
      background: { type: "boolean", description: "Go on without waiting; the reports arrive later by themselves" },
      tasks: {
        type: "array",
        description: "Several tasks instead of one goal",
        items: { type: "object", properties: { ...common, agent: task.agent, toolsets: texts }, required: ["goal"] },
      },
    },
  };
}
