import type { SessionId } from "#conversation";

export interface InsightsOptions {
  readonly sinceMs: number;
  readonly untilMs?: number | undefined;
  readonly source?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface InsightsTotals {
  readonly sessions: number;
  readonly messages: number;
  readonly userMessages: number;
  readonly toolCalls: number;
  readonly apiCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly estimatedCostUsd: number;
  readonly actualCostUsd: number;
  /** Sessions whose cost is not known; never counted as free. */
  readonly sessionsWithUnknownCost: number;
  /** Calls of conversations whose tokens the server did not count, so that Hermes did; the figures hold its estimates. */
  readonly estimatedCalls: number;
  /** Time between first and last message, summed over sessions. */
  readonly activeMs: number;
}

export interface InsightsGroup {
  readonly name: string;
  readonly sessions: number;
  readonly messages: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly estimatedCostUsd: number;
  readonly actualCostUsd: number;
  readonly estimatedCalls: number;
}

/** The calls beside conversations that had one task. */
export interface SideCallGroup {
  readonly task: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** Calls whose price is not known; their cost is not in `costUsd`. */
  readonly unpricedCalls: number;
  readonly estimatedCalls: number;
}

/** The model calls of one day. */
export interface InsightsDay {
  /** Whole days since the start of the period; 0 is the first. */
  readonly day: number;
  readonly calls: number;
  readonly tokens: number;
  readonly costUsd: number;
}

export interface NotableSession {
  readonly id: SessionId;
  readonly title?: string | undefined;
  readonly value: number;
}

/** What a report of the last days shows. Hours and weekdays are counted in UTC milliseconds by the caller's offset. */
export interface Insights {
  readonly totals: InsightsTotals;
  readonly byModel: readonly InsightsGroup[];
  readonly bySource: readonly InsightsGroup[];
  readonly tools: readonly { readonly name: string; readonly calls: number }[];
  readonly exitReasons: readonly { readonly reason: string; readonly turns: number }[];
  /** By task, most calls first. */
  readonly sideCalls: readonly SideCallGroup[];
  readonly events: readonly { readonly kind: string; readonly count: number }[];
  /** By when calls were made, side calls included; days without a call are absent. */
  readonly byDay: readonly InsightsDay[];
  /** Start times of the sessions, for weekday and hour bars in any time zone. */
  readonly startedAtMs: readonly number[];
  readonly notable: {
    readonly longest: readonly NotableSession[];
    readonly mostMessages: readonly NotableSession[];
    readonly mostTokens: readonly NotableSession[];
    readonly mostToolCalls: readonly NotableSession[];
  };
}

export interface StoreStatistics {
  readonly sessions: number;
  readonly messages: number;
  readonly openSessions: number;
  readonly bySource: readonly { readonly source: string; readonly sessions: number; readonly messages: number }[];
  /** Undefined when the database does not tell. */
  readonly sizeBytes?: number | undefined;
}

export interface FsckReport {
  readonly isHealthy: boolean;
  /** What was wrong, one sentence each, in the order it was found. */
  readonly problems: readonly string[];
  readonly repairs: readonly string[];
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  /** Hash over ids and contents, before and after: equal hashes prove that no message changed. */
  readonly fingerprintBefore: string;
  readonly fingerprintAfter: string;
}

/** What a damaged file gave back. */
export interface SalvageReport {
  /** Where the damaged file is now. */
  readonly setAside: string;
  /** Rows of all tables that could be read. */
  readonly rows: number;
  readonly messages: number;
}
