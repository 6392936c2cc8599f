/** Why an attempt failed. One taxonomy for every provider; what follows from each kind stands in `consequences`. */
export type FailureKind =
  | "thinking_signature"
  | "long_context_tier"
  | "auth"
  | "auth_permanent"
  | "billing"
  | "rate_limit"
  | "overloaded"
  | "server_error"
  | "timeout"
  | "context_overflow"
  | "output_cap_too_large"
  | "payload_too_large"
  | "media_too_large"
  | "model_not_found"
  | "provider_policy_blocked"
  | "unsupported_parameter"
  | "content_filtered"
  | "format_error"
  | "invalid_response"
  | "key_scope"
  | "budget_exceeded"
  | "unknown";

export interface Consequences {
  readonly isRetryable: boolean;
  readonly mayCompress: boolean;
  readonly mayRotate: boolean;
  readonly mayFallBack: boolean;
}

export interface ModelFailure extends Consequences {
  readonly kind: FailureKind;
  readonly provider: string;
  readonly model: string;
  readonly status?: number;
  /** The provider's words, one line, at most 500 characters, secrets removed. */
  readonly message: string;
  /** How long the provider asked us to wait. */
  readonly retryAfterMs?: number;
  /** When the provider's window opens again (Unix ms). */
  readonly resetAtMs?: number;
  /** The real context window, where the message names it. */
  readonly contextLimit?: number;
  /** By how many tokens the window was passed, where the message names only that: the known window is right then. */
  readonly excessTokens?: number;
  /** Output tokens that would still fit, where the message names them. */
  readonly availableOutputTokens?: number;
  /** The parameter the provider refuses, where it names one. */
  readonly parameter?: string;
  /** The address the provider itself gives for putting it right (credits, privacy settings). */
  readonly helpUrl?: string;
  /** What was called, where that matters: scheme, host and path. */
  readonly endpoint?: string;
  /** True when visible text had been streamed before the failure. */
  readonly isPartial: boolean;
  /** The stream did not break: nothing more came. The model can be asked to go on. */
  readonly isSilence?: boolean;
}
