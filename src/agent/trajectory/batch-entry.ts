import type { ShareGptTurn } from "./sharegpt.ts";

export interface ToolStats {
  readonly count: number;
  readonly success: number;
  readonly failure: number;
}

/** One line of a batch run; the order of the fields is part of the format. */
export interface BatchEntry {
  readonly prompt_index: number;
  readonly conversations: readonly ShareGptTurn[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly completed: boolean;
  readonly partial: boolean;
  readonly api_calls: number;
  readonly toolsets_used: readonly string[];
  readonly tool_stats: Readonly<Record<string, ToolStats>>;
  readonly tool_error_counts: Readonly<Record<string, number>>;
}

const unused: ToolStats = { count: 0, success: 0, failure: 0 };

/**
 * Statistics name every known tool, used or not, so that all lines of a run have the same columns. A name the
 * model made up stands behind them.
 */
export function batchEntry(facts: {
  readonly promptIndex: number;
  readonly conversations: readonly ShareGptTurn[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly completed: boolean;
  readonly partial: boolean;
  readonly apiCalls: number;
  readonly toolsets: readonly string[];
  readonly knownTools: readonly string[];
  readonly usedTools: ReadonlyMap<string, ToolStats>;
}): BatchEntry {
  const known = [...new Set(facts.knownTools)].sort();
  const names = [...known, ...[...facts.usedTools.keys()].filter((name) => !known.includes(name)).sort()];
  const stats = names.map((name) => [name, facts.usedTools.get(name) ?? unused] as const);
  return {
    prompt_index: facts.promptIndex,
    conversations: facts.conversations,
    metadata: facts.metadata,
    completed: facts.completed,
    partial: facts.partial,
    api_calls: facts.apiCalls,
    toolsets_used: facts.toolsets,
    tool_stats: Object.fromEntries(stats),
    tool_error_counts: Object.fromEntries(stats.map(([name, { failure }]) => [name, failure])),
  };
}
