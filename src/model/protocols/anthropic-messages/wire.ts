import type { CacheMark } from "../shared/cache-marks.ts";

/** What goes over the wire of `POST /v1/messages`, as far as we write it. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: CacheMark;
}

export interface ImageBlock {
  readonly type: "image";
  readonly source:
    | { readonly type: "base64"; readonly media_type: string; readonly data: string }
    | { readonly type: "url"; readonly url: string };
  readonly cache_control?: CacheMark;
}

interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cache_control?: CacheMark;
}

interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  readonly cache_control?: CacheMark;
}

/** Never carries a cache mark. */
export type ThinkingBlock =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "redacted_thinking"; readonly data: string };

export type Block = TextBlock | ImageBlock | ToolUseBlock | ToolResultBlock | ThinkingBlock;

export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}
