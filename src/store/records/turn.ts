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

/** Whose money a call spends. The root is the first session of the lineage, so children count too. */
export interface SpendScope {
  readonly sessionId: SessionId;
  readonly rootSessionId: SessionId;
}

export interface Ceilings {
  readonly sessionUsd?: number | undefined;
  readonly treeUsd?: number | undefined;
  readonly dayUsd?: number | undefined;
  /** Start of the day the day ceiling counts from. */
  readonly dayStartMs: number;
}

export type Reservation =
  | { readonly kind: "reserved"; readonly id: string }
  | {
      readonly kind: "refused";
      readonly ceiling: "session" | "tree" | "day";
      readonly limitUsd: number;
      readonly spentUsd: number;
    };

export interface NewReservation extends SpendScope {
  readonly purpose: string;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** The most this call may cost. */
  readonly usd: number;
  /** A reservation that is not settled by then counts no longer: its process is gone. */
  readonly expiresAtMs: number;
}

export interface Settlement {
  readonly usage: Usage;
  /** Undefined: the price is not known. */
  readonly usd?: number | undefined;
  readonly costStatus: CostStatus;
}

/** One call beside a conversation: a title, a summary, a look at an image. */
export interface SideCallRecord {
  readonly sessionId: SessionId;
  readonly task: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** Undefined: the price is not known. */
  readonly usd?: number | undefined;
  readonly costStatus: CostStatus;
}

export interface Spending {
  /** Settled and still reserved. */
  readonly usd: number;
  readonly calls: number;
  /** Settled calls whose price is not known; their cost is not in `usd`. */
  readonly unpricedCalls: number;
}
