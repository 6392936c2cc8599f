import type { ToolCall } from "#conversation";
import type { CallObserver } from "#tools";
import type { SessionHooks } from "./hooks.ts";
import type { ToolCallPayload } from "./payloads.ts";

export interface ObservedTurn {
  readonly taskId: string;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** Lets the hooks of plugins watch, block and rewrite the tool calls of a turn. */
export function hookedCalls(
  hooks: SessionHooks,
  turn: ObservedTurn,
): Required<Pick<CallObserver, "beforeCall" | "afterCall">> {
  const payloadOf = (call: ToolCall, args: Readonly<Record<string, unknown>>): ToolCallPayload => ({
    tool_name: call.function.name,
    args,
    task_id: turn.taskId,
    session_id: turn.sessionId,
    tool_call_id: call.id,
  });
  return {
    async beforeCall(call, args) {
      if (!hooks.has("pre_tool_call")) return undefined;
      const verdict = await hooks.beforeToolCall(payloadOf(call, args), turn.signal);
      if (verdict.kind === "block") return verdict.message;
      return verdict.args === undefined ? undefined : { args: verdict.args };
    },
    async afterCall(outcome, args) {
      if (!hooks.has("post_tool_call") && !hooks.has("transform_tool_result")) return undefined;
      const payload = { ...payloadOf(outcome.call, args), result: outcome.text, duration_ms: outcome.durationMs };
      await hooks.notify("post_tool_call", payload, turn.signal);
      return hooks.transform("transform_tool_result", payload, turn.signal);
    },
  };
}
