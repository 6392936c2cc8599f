export type AuxiliaryTask = "vision" | "web_extract" | "approval" | "session_search" | "browser";

export interface AuxiliaryRequest {
  readonly system?: string;
  readonly prompt: string;
  /** Data URLs or addresses. */
  readonly images?: readonly string[];
  readonly maxTokens?: number;
  readonly temperature?: number;
}

export type AuxiliaryAnswer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unavailable"; readonly reason: string };

/** A small side call to a model, handed to the tools that need one. */
export type Auxiliary = (
  task: AuxiliaryTask,
  request: AuxiliaryRequest,
  signal: AbortSignal,
) => Promise<AuxiliaryAnswer>;
