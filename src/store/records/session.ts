import type { CostStatus, Message, SessionId, Usage } from "#conversation";

/** How a session came from its parent. */
export type LineageKind = "compression" | "branch" | "reset" | "delegation";

export interface NewSession {
  readonly id: SessionId;
  /** The surface it belongs to: cli, telegram, cron, acp, api-server, subagent, tool ... */
  readonly source: string;
  readonly userId?: string;
  readonly model?: string;
  readonly modelConfig?: unknown;
  readonly systemPrompt?: string;
  readonly parentSessionId?: SessionId;
  readonly lineage?: LineageKind;
  readonly startedAtMs?: number;
}

export interface SessionRecord {
  readonly id: SessionId;
  readonly source: string;
  readonly userId?: string;
  readonly model?: string;
  readonly modelConfig?: unknown;
  readonly systemPrompt?: string;
  readonly parentSessionId?: SessionId;
  readonly rootSessionId?: SessionId;
  readonly lineage?: LineageKind;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly endReason?: string;
  readonly title?: string;
  readonly messageCount: number;
  readonly toolCallCount: number;
  readonly apiCallCount: number;
  readonly usage: Usage;
  readonly billingProvider?: string;
  readonly billingBaseUrl?: string;
  readonly billingMode?: string;
  readonly estimatedCostUsd?: number;
  readonly actualCostUsd?: number;
  readonly costStatus?: CostStatus;
  readonly costSource?: string;
  readonly pricingVersion?: string;
  readonly promptFingerprint?: string;
  readonly lastExitReason?: string;
  /** The last measured size of the context, a baseline for the meter of a new process. */
  readonly lastPromptTokens?: number;
}

/** What may change on an existing session; a field that is absent stays. */
export interface SessionPatch {
  readonly source?: string;
  readonly userId?: string;
  readonly model?: string;
  readonly modelConfig?: unknown;
  readonly systemPrompt?: string;
  readonly promptFingerprint?: string;
  readonly lastExitReason?: string;
  readonly lastPromptTokens?: number;
}

/** One line of a listing. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly source: string;
  readonly model?: string;
  readonly title?: string;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly endReason?: string;
  readonly lastActiveMs: number;
  readonly messageCount: number;
  readonly toolCallCount: number;
  /** The first words of the user, at most 60 characters and an ellipsis. */
  readonly preview: string;
  /** Set when this is the tip of a compression chain: the session the chain began with. */
  readonly lineageRootId?: SessionId;
}

export interface SessionListOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly source?: string;
  readonly excludeSources?: readonly string[];
  /** Leave out these sessions (the current lineage, for example). */
  readonly excludeIds?: readonly SessionId[];
  /** Also the parts a listing hides: compression continuations and children of delegation. */
  readonly includeChildren?: boolean;
  readonly signal?: AbortSignal;
}

export type TitleOutcome =
  | { readonly kind: "set"; readonly title: string }
  | { readonly kind: "cleared" }
  | { readonly kind: "taken"; readonly by: SessionId }
  | { readonly kind: "too-long"; readonly length: number }
  | { readonly kind: "no-session" };

/** A session as it is exported: the row with its column names, and the messages. */
export type ExportedSession = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly source: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
};

export interface BranchOptions {
  readonly id: SessionId;
  readonly source?: string;
  readonly title?: string;
  /** Copy up to and including this message; all of them when absent. */
  readonly throughUid?: string;
}

export interface ContinuationOptions {
  readonly id: SessionId;
  readonly messages: readonly Message[];
  /** Defaults to the parent's prompt. */
  readonly systemPrompt?: string;
  readonly promptFingerprint?: string;
}

export interface PruneOptions {
  readonly olderThanDays?: number;
  readonly source?: string;
  /** Sessions with a title are kept unless this is set. */
  readonly includeTitled?: boolean;
  readonly signal?: AbortSignal;
}
