import type { CacheMark } from "../shared/cache-marks.ts";

/** What goes over the wire of `POST /chat/completions`, as far as we write it. */
export type ChatPart =
  | { readonly type: "text"; readonly text: string; readonly cache_control?: CacheMark }
  | {
      readonly type: "image_url";
      readonly image_url: { readonly url: string; readonly detail?: string };
      readonly cache_control?: CacheMark;
    }
  /** Endpoints that translate to the Messages wire take its image blocks. */
  | { readonly type: "image"; readonly source: Readonly<Record<string, string>>; readonly cache_control?: CacheMark };

export type ChatContent = string | readonly ChatPart[];

export interface ChatCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: unknown;
}

export type ChatMessage =
  | {
      readonly role: "system" | "developer" | "user";
      readonly content: ChatContent;
      readonly cache_control?: CacheMark;
    }
  | {
      readonly role: "assistant";
      readonly content: ChatContent;
      readonly reasoning_content?: string;
      readonly reasoning_details?: readonly unknown[];
      readonly tool_calls?: readonly ChatCall[];
      readonly cache_control?: CacheMark;
    }
  | {
      readonly role: "tool";
      readonly content: ChatContent;
      readonly tool_call_id: string;
      readonly cache_control?: CacheMark;
    };

export interface ChatTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}
