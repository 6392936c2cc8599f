import type { FinishReason } from "./message.ts";
import type { ToolCall } from "./tool-call.ts";
import type { Usage } from "./usage.ts";

/** Fields of an assistant message that only the provider can read; kept and replayed as they came. */
export type OpaqueField = "reasoning_content" | "reasoning_details" | "codex_reasoning_items" | "codex_message_items";

/**
 * What one attempt streams. Every `-start` has exactly one `-end`; `attempt-end` is last and present
 * in every stream that was read to its end. Deltas are pieces of text, never whole texts.
 */
export type ModelEvent =
  | { readonly type: "attempt-start"; readonly model?: string; readonly responseId?: string }
  | { readonly type: "text-start" }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "text-end" }
  | { readonly type: "reasoning-start" }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "reasoning-end" }
  | { readonly type: "tool-input-start"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "tool-input-delta"; readonly index: number; readonly text: string }
  | { readonly type: "tool-call"; readonly index: number; readonly call: ToolCall }
  | { readonly type: "opaque"; readonly field: OpaqueField; readonly value: unknown }
  /** What a Hermes that does whole turns tells of its work beside the answer, as it came. */
  | { readonly type: "relayed"; readonly event: unknown }
  /** `costUsd` is what the provider says it charged, where it says so. */
  | { readonly type: "usage"; readonly usage: Usage; readonly costUsd?: number }
  /** `isReasoningOpen`: a scratchpad was opened in the text and never closed. */
  | {
      readonly type: "attempt-end";
      readonly finish: FinishReason;
      readonly rawFinish?: string;
      readonly isReasoningOpen?: boolean;
    };
