import type { Hooks } from "./hooks.ts";
import type { HookName } from "./names.ts";
import type { HookPayloads } from "./payloads.ts";

/** What the agent would do after an event, as far as hooks have a say. */
export type HookEffect =
  | { readonly kind: "block"; readonly message: string }
  | { readonly kind: "context"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "none" };

/** Events about one tool; only here a matcher can match. */
export function isAboutTool(event: string): boolean {
  return ["pre_tool_call", "post_tool_call", "transform_tool_result"].includes(event);
}

/** An event as the program would fire it, with invented contents. */
export function samplePayload<N extends HookName>(event: N, tool: string): HookPayloads[N] {
  return samples(tool)[event];
}

/** Fires an event at the hooks the way the agent does. Given fields replace those of the sample. */
export async function fireSample(
  hooks: Hooks,
  { event, payload }: { readonly event: HookName; readonly payload: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<HookEffect> {
  const sample = samples("terminal");
  switch (event) {
    case "pre_tool_call": {
      const verdict = await hooks.beforeToolCall({ ...sample.pre_tool_call, ...payload }, signal);
      return verdict.kind === "block" ? verdict : { kind: "none" };
    }
    case "pre_llm_call": {
      const text = await hooks.turnContext({ ...sample.pre_llm_call, ...payload }, signal);
      return text === undefined ? { kind: "none" } : { kind: "context", text };
    }
    case "transform_tool_result":
    case "transform_terminal_output": {
      const text = await hooks.transform(event, { ...sample[event], ...payload }, signal);
      return text === undefined ? { kind: "none" } : { kind: "text", text };
    }
    case "pre_gateway_dispatch": {
      const verdict = await hooks.beforeDispatch({ ...sample.pre_gateway_dispatch, ...payload }, signal);
      if (verdict.kind === "allow") return { kind: "none" };
      return verdict.kind === "skip" ? verdict : { kind: "text", text: verdict.text };
    }
    default:
      await hooks.notify(event, { ...sample[event], ...payload }, signal);
      return { kind: "none" };
  }
}

const sampleRequest = {
  task_id: "sample-task",
  provider: "sample-provider",
  base_url: "http://127.0.0.1/v1",
  api_mode: "chat_completions",
  api_call_count: 1,
  message_count: 2,
  tool_count: 10,
  approx_input_tokens: 1200,
  request_char_count: 4800,
  max_tokens: null,
};

function samples(tool: string): HookPayloads {
  const session = { session_id: "sample-session", model: "sample-model", platform: "cli" };
  const call = {
    tool_name: tool,
    args: tool === "terminal" ? { command: "echo hello" } : {},
    task_id: "sample-task",
    session_id: "sample-session",
    tool_call_id: "call_sample",
  };
  const result = { ...call, result: "hello", duration_ms: 12 };
  const turn = { ...session, user_message: "What time is it?", conversation_history: [] };
  const request = { ...session, ...sampleRequest };
  return {
    pre_tool_call: call,
    post_tool_call: result,
    transform_tool_result: result,
    transform_terminal_output: {
      command: "echo hello",
      output: "hello\n",
      returncode: 0,
      task_id: "sample-task",
      env_type: "local",
    },
    pre_llm_call: { ...turn, is_first_turn: true, sender_id: null },
    post_llm_call: { ...turn, assistant_response: "It is noon." },
    pre_api_request: request,
    post_api_request: {
      ...request,
      api_duration: 0.8,
      finish_reason: "stop",
      response_model: "sample-model",
      usage: { input_tokens: 1200, output_tokens: 20 },
      assistant_content_chars: 11,
      assistant_tool_call_count: 0,
    },
    on_session_start: session,
    on_session_end: { ...session, completed: true, interrupted: false },
    on_session_finalize: { session_id: "sample-session", platform: "cli" },
    on_session_reset: { session_id: "sample-session", platform: "cli" },
    subagent_stop: {
      parent_session_id: "sample-session",
      child_role: "leaf",
      child_summary: "It found three files.",
      child_status: "completed",
      duration_ms: 900,
    },
    pre_gateway_dispatch: { event: { platform: "cli", text: "hello" }, gateway: null, session_store: null },
    approval_requested: { command: "rm -r build", keys: ["recursive delete"] },
    approval_resolved: { command: "rm -r build", keys: ["recursive delete"], choice: "once", by: "cli" },
  };
}
