import type { CostStatus, Message, SessionId, Usage } from "#conversation";

/** How a session came from its parent. */
export type LineageKind = "compression" | "branch" | "reset" | "delegation";

export interface NewSession {
  readonly id: SessionId;
  /** The surface it belongs to: cli, telegram, cron, acp, api-server, subagent, tool ... */
  readonly source: string;
  readonly userId?: string | undefined;
  readonly model?: string | undefined;
  readonly modelConfig?: unknown | undefined;
  readonly systemPrompt?: string | undefined;
  readonly parentSessionId?: SessionId | undefined;
  readonly lineage?: LineageKind | undefined;
  readonly startedAtMs?: number | undefined;
}

export interface SessionRecord {
  readonly id: SessionId;
  readonly source: string;
  readonly userId?: string | undefined;
  readonly model?: string | undefined;
  readonly modelConfig?: unknown | undefined;
  readonly systemPrompt?: string | undefined;
  readonly parentSessionId?: SessionId | undefined;
  readonly rootSessionId?: SessionId | undefined;
  readonly lineage?: LineageKind | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs?: number | undefined;
  readonly endReason?: string | undefined;
  readonly title?: string | undefined;
  readonly messageCount: number;
  readonly toolCallCount: number;
  readonly apiCallCount: number;
  readonly usage: Usage;
  readonly billingProvider?: string | undefined;
  readonly billingBaseUrl?: string | undefined;
  readonly billingMode?: string | undefined;
  readonly estimatedCostUsd?: number | undefined;
  readonly actualCostUsd?: number | undefined;
  readonly costStatus?: CostStatus | undefined;
  readonly costSource?: string | undefined;
  readonly pricingVersion?: string | undefined;
  readonly promptFingerprint?: string | undefined;
  readonly lastExitReason?: string | undefined;
  /** The last measured size of the context, a baseline for the meter of a new process. */
  readonly lastPromptTokens?: number | undefined;
}

/** What may change on an existing session; a field that is absent stays. */
export interface SessionPatch {
  readonly source?: string | undefined;
  readonly userId?: string | undefined;
  readonly model?: string | undefined;
  readonly modelConfig?: unknown | undefined;
  readonly systemPrompt?: string | undefined;
  readonly promptFingerprint?: string | undefined;
  readonly lastExitReason?: string | undefined;
  readonly lastPromptTokens?: number | undefined;
}

/** One line of a listing. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly source: string;
  readonly model?: string | undefined;
  readonly title?: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs?: number | undefined;
  readonly endReason?: string | undefined;
  readonly lastActiveMs: number;
  readonly messageCount: number;
  readonly toolCallCount: number;
  /** The first words of the user, at most 60 characters and an ellipsis. */
  readonly preview: string;
  /** Set when this is the tip of a compression chain: the session the chain began with. */
  readonly lineageRootId?: SessionId | undefined;
}

export interface SessionListOptions {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly source?: string | undefined;
  readonly excludeSources?: readonly string[] | undefined;
  /** Leave out these sessions (the current lineage, for example). */
  readonly excludeIds?: readonly SessionId[] | undefined;
  readonly signal?: AbortSignal | undefined;
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
  readonly source?: string | undefined;
  readonly title?: string | undefined;
}

export interface ContinuationOptions {
  readonly id: SessionId;
  readonly messages: readonly Message[];
  /** Defaults to the parent's prompt. */
  readonly systemPrompt?: string | undefined;
  readonly promptFingerprint?: string | undefined;
}

export interface PruneOptions {
  readonly olderThanDays?: number | undefined;
  readonly source?: string | undefined;
  /** Sessions with a title are kept unless this is set. */
  readonly includeTitled?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}
