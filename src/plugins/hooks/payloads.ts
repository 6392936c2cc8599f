import type { Message } from "#conversation";

/** What each hook is told. Callbacks get a frozen copy. */
export interface HookPayloads {
  readonly pre_tool_call: ToolCallPayload;
  readonly post_tool_call: ToolResultPayload;
  readonly transform_tool_result: ToolResultPayload;
  readonly transform_terminal_output: {
    readonly command: string;
    readonly output: string;
    readonly returncode: number | null;
    readonly task_id: string;
    readonly env_type: string;
  };
  readonly pre_llm_call: {
    readonly session_id: string;
    readonly user_message: string;
    readonly conversation_history: readonly Message[];
    readonly is_first_turn: boolean;
    readonly model: string;
    readonly platform: string;
    readonly sender_id: string | null;
  };
  readonly post_llm_call: {
    readonly session_id: string;
    readonly user_message: string;
    readonly assistant_response: string;
    readonly conversation_history: readonly Message[];
    readonly model: string;
    readonly platform: string;
  };
  readonly pre_api_request: ApiRequestPayload;
  readonly post_api_request: ApiRequestPayload & {
    readonly api_duration: number;
    readonly finish_reason: string;
    readonly response_model: string;
    readonly usage: Readonly<Record<string, number>>;
    readonly assistant_content_chars: number;
    readonly assistant_tool_call_count: number;
  };
  readonly on_session_start: { readonly session_id: string; readonly model: string; readonly platform: string };
  readonly on_session_end: {
    readonly session_id: string;
    readonly completed: boolean;
    readonly interrupted: boolean;
    readonly model: string;
    readonly platform: string;
  };
  readonly on_session_finalize: { readonly session_id: string | null; readonly platform: string };
  readonly on_session_reset: { readonly session_id: string; readonly platform: string };
  readonly subagent_stop: {
    readonly parent_session_id: string;
    readonly child_role: string;
    readonly child_summary: string;
    readonly child_status: string;
    readonly duration_ms: number;
  };
  readonly pre_gateway_dispatch: {
    readonly event: Readonly<Record<string, unknown>>;
    readonly gateway: unknown;
    readonly session_store: unknown;
  };
  readonly approval_requested: { readonly command: string; readonly keys: readonly string[] };
  readonly approval_resolved: {
    readonly command: string;
    readonly keys: readonly string[];
    readonly choice: string;
    readonly by: string;
  };
}

export interface ToolCallPayload {
  readonly tool_name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly task_id: string;
  readonly session_id: string;
  readonly tool_call_id: string;
}

type ToolResultPayload = ToolCallPayload & { readonly result: string; readonly duration_ms: number };

/** Counts and sizes only: never a key, never the raw request or response. */
interface ApiRequestPayload {
  readonly task_id: string;
  readonly session_id: string;
  readonly platform: string;
  readonly model: string;
  readonly provider: string;
  readonly base_url: string;
  readonly api_mode: string;
  readonly api_call_count: number;
  readonly message_count: number;
  readonly tool_count: number;
  readonly approx_input_tokens: number;
  readonly request_char_count: number;
  readonly max_tokens: number | null;
}
