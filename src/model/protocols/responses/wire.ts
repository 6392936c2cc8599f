/** What goes over the wire of `POST /responses`, as far as we write it. */
export type InputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail?: string };

export type InputItem =
  | { readonly role: "user"; readonly content: string | readonly InputPart[] }
  | { readonly role: "assistant"; readonly content: string }
  | {
      readonly type: "message";
      readonly role: "assistant";
      readonly content: readonly unknown[];
      readonly id?: string;
      readonly phase?: string;
      readonly status?: string;
    }
  | { readonly type: "function_call"; readonly call_id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "function_call_output"; readonly call_id: string; readonly output: string | readonly InputPart[] }
  | {
      readonly type: "reasoning";
      readonly summary: readonly unknown[];
      readonly encrypted_content: string;
    };

export interface ResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: false;
}

/** Fields an endpoint of this wire may get; anything else is stopped before it is sent. */
export const knownFields: ReadonlySet<string> = new Set([
  "model",
  "instructions",
  "input",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "store",
  "stream",
  "stream_options",
  "include",
  "reasoning",
  "prompt_cache_key",
  "prompt_cache_retention",
  "max_output_tokens",
  "temperature",
  "top_p",
  "service_tier",
  "text",
  "truncation",
  "metadata",
  "user",
  "safety_identifier",
]);
