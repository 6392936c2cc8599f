import type { ToolCall, ToolDetails } from "#conversation";

/** What became of one call of a reply; every call ends as exactly one of these. */
export type CallOutcome = {
  readonly call: ToolCall;
  /** The JSON text for the model. */
  readonly text: string;
  readonly kind: "succeeded" | "failed" | "refused" | "cancelled";
  readonly durationMs: number;
  readonly preview: string;
  readonly diff?: string | undefined;
  readonly details?: ToolDetails | undefined;
  /** Where words of strangers in it came from. */
  readonly untrusted?: string | undefined;
};

/** Undefined lets the call run as it is. */
type BeforeCall = string | { readonly args: Readonly<Record<string, unknown>> } | undefined;

/** Watches the calls of a turn; hooks of plugins and the events of a surface hang here. */
export interface CallObserver {
  /** Before a call runs, exactly once. A returned text refuses the call with it; returned arguments take the place of the model's. */
  beforeCall?(call: ToolCall, args: Readonly<Record<string, unknown>>): Promise<BeforeCall>;
  onStart?(call: ToolCall, args: Readonly<Record<string, unknown>>): void;
  onProgress?(call: ToolCall, text: string): void;
  /** After a call that ran; may replace the result the model reads. */
  afterCall?(outcome: CallOutcome, args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  onEnd?(outcome: CallOutcome): void;
}
