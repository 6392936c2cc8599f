import type { Message, ToolChoice, ToolDefinition } from "#conversation";
import type { Target } from "./target.ts";

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

export interface RequestOptions {
  readonly stream: boolean;
  /** One-shot value; wins over the target's default. */
  readonly maxOutputTokens?: number;
  readonly reasoning?: ReasoningEffort;
  readonly temperature?: number;
  readonly toolChoice?: ToolChoice;
  readonly cacheTtl?: "5m" | "1h";
  /** Routes requests of one session to the same cache where a provider takes a key. */
  readonly cacheKey?: string;
  readonly serviceTier?: "fast" | "normal";
  /** Last word on the body: merged over everything else (`request_overrides`). */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** JSON schema the answer must follow, where a protocol can ask for it. */
  readonly responseSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  /** Who speaks: the user's own words or Hermes continuing by itself (Copilot asks). */
  readonly initiator?: "user" | "agent";
}

/** One call to a model, without a word of any wire. */
export interface ModelRequest {
  readonly target: Target;
  /** The system prompt; empty means none. */
  readonly system: string;
  /** Words for this call only. They follow the system prompt, behind the cache mark where a wire has one. */
  readonly ephemeral?: string;
  /** As stored; repair and normalisation happen in lowering, on a copy. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly options: RequestOptions;
}
