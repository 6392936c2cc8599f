import type { CostStatus, ExitReason, SessionId, TurnId, Usage } from "#conversation";

/** How one turn went, kept for reports. */
export interface TurnRecord {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly exitReason: ExitReason;
  readonly isCompleted: boolean;
  readonly isPartial: boolean;
  readonly isFailed: boolean;
  readonly isInterrupted: boolean;
  readonly apiCalls: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly errorClass?: string | undefined;
  readonly errorMessage?: string | undefined;
}

export interface StoredTurn extends TurnRecord {
  /** Position within the session, from 0. */
  readonly turnIndex: number;
}

export interface CompressionRecord {
  readonly sessionId: SessionId;
  readonly newSessionId?: SessionId | undefined;
  readonly trigger: string;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly tokenSource: "measured" | "estimated";
  readonly savingsPct: number;
  readonly prunedResults: number;
  readonly summaryModel?: string | undefined;
  readonly summaryStatus: "ok" | "fallback_model" | "local_extract" | "skipped" | "failed";
  readonly summaryTokens: number;
  readonly durationMs: number;
  readonly isPromptReused: boolean;
  readonly changedLayers: readonly string[];
  readonly focusTopic?: string | undefined;
  readonly attempt: number;
}

export interface StoredCompression extends CompressionRecord {
  readonly id: number;
  readonly createdAtMs: number;
}

/** Anything else worth counting later: a fallback that was used, a prompt prefix that broke. */
export interface SessionEvent {
  readonly id: number;
  readonly sessionId: SessionId;
  readonly kind: string;
  readonly createdAtMs: number;
  readonly details?: unknown | undefined;
}

/** What one or more model calls add to (or set on) a session. */
export interface UsageChange {
  readonly usage: Usage;
  readonly apiCalls?: number | undefined;
  readonly model?: string | undefined;
  readonly billingProvider?: string | undefined;
  readonly billingBaseUrl?: string | undefined;
  readonly billingMode?: string | undefined;
  readonly estimatedCostUsd?: number | undefined;
  readonly actualCostUsd?: number | undefined;
  readonly costStatus?: CostStatus | undefined;
  readonly costSource?: string | undefined;
  readonly pricingVersion?: string | undefined;
}
