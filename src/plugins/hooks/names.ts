/** Every hook the program fires. */
export const hookNames = [
  "pre_tool_call",
  "post_tool_call",
  "transform_tool_result",
  "transform_terminal_output",
  "pre_llm_call",
  "post_llm_call",
  "pre_api_request",
  "post_api_request",
  "on_session_start",
  "on_session_end",
  "on_session_finalize",
  "on_session_reset",
  "subagent_stop",
  "pre_gateway_dispatch",
  "approval_requested",
  "approval_resolved",
] as const;

export type HookName = (typeof hookNames)[number];

export function isHookName(name: string): name is HookName {
  return hookNames.some((known) => known === name);
}
