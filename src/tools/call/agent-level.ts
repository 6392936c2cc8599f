import type { Tool } from "../registry/tool.ts";
import { ToolFailure } from "./result.ts";

/**
 * A tool that only the agent can answer, because it works on the agent's own state. The registry
 * knows its definition; the toolbelt is handed what runs it.
 */
export function agentLevelTool(definition: Omit<Tool, "execute">): Tool {
  return {
    ...definition,
    execute: () => Promise.reject(new ToolFailure(`${definition.name} must be handled by the agent loop`)),
  };
}
