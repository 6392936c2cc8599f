import type { Hono } from "hono";
import { collectInsights } from "#session";
import type { Insights } from "#store";
import type { DashboardDeps } from "../deps.ts";

const dayMs = 86_400_000;

/** `GET /api/analytics/usage?days=`: what was used and what it cost. */
export function insightRoutes(app: Hono, deps: DashboardDeps): void {
  const { store, clock } = deps;
  app.get("/api/analytics/usage", async (c) => {
    const asked = Number(c.req.query("days"));
    const days = Number.isSafeInteger(asked) && asked > 0 && asked <= 3650 ? asked : 30;
    const nowMs = clock.now();
    const { timezone: timeZone } = (await deps.loadSettings()).config;
    const report = await collectInsights(store, { days, nowMs, skills: [], timeZone }, c.req.raw.signal);
    const { totals, byModel, bySource } = report.figures;
    return c.json({
      days,
      until_ms: nowMs,
      cache_hit_rate: report.cacheHitRate ?? null,
      sessions: totals.sessions,
      messages: totals.messages,
      tool_calls: totals.toolCalls,
      input_tokens: totals.inputTokens + totals.cacheReadTokens + totals.cacheWriteTokens,
      output_tokens: totals.outputTokens,
      estimated_calls: totals.estimatedCalls,
      cost_usd: totals.actualCostUsd > 0 ? totals.actualCostUsd : totals.estimatedCostUsd,
      sessions_with_unknown_cost: totals.sessionsWithUnknownCost,
      per_day: perDay(report.figures, nowMs - days * dayMs, days),
      budgets: await budgets(deps),
      by_model: byModel.map(groupView),
      by_source: bySource.map(groupView),
    });
  });
}

/** What each day of the period began and used, the first day first. */
function perDay({ startedAtMs, byDay }: Pick<Insights, "startedAtMs" | "byDay">, sinceMs: number, days: number) {
  const begun = new Map<number, number>();
  for (const ms of startedAtMs) {
    const day = Math.min(days - 1, Math.floor((ms - sinceMs) / dayMs));
    begun.set(day, (begun.get(day) ?? 0) + 1);
  }
  const used = new Map(byDay.map((one) => [Math.min(days - 1, one.day), one]));
  return Array.from({ length: days }, (_, day) => ({
    sessions: begun.get(day) ?? 0,
    tokens: used.get(day)?.tokens ?? 0,
    cost_usd: used.get(day)?.costUsd ?? 0,
  }));
}

/** The limits that are set. What a day has left is known; the others hold for each conversation, person or task by itself. */
async function budgets({ loadSettings, store, clock }: Pick<DashboardDeps, "loadSettings" | "store" | "clock">) {
  const { budget } = (await loadSettings()).config;
  const spentToday =
    budget.daily_usd === undefined
      ? 0
      : (await store.money.spent({ sinceMs: new Date(clock.now()).setHours(0, 0, 0, 0) })).usd;
  const each = (what: string, limit: number | undefined, spent: number | null = null) =>
    limit === undefined ? [] : [{ what, limit_usd: limit, spent_usd: spent, mode: budget.mode }];
  return [
    ...each("today, all conversations", budget.daily_usd, spentToday),
    ...each("each conversation", budget.session_usd),
    ...each("each person, per day", budget.user_daily_usd),
    ...each("each delegated task", budget.delegation_tree_usd),
  ];
}

interface Group {
  readonly name: string;
  readonly sessions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly estimatedCostUsd: number;
  readonly actualCostUsd: number;
}

const groupView = (group: Group) => ({
  name: group.name,
  sessions: group.sessions,
  tokens: group.inputTokens + group.outputTokens + group.cacheReadTokens,
  cost_usd: group.actualCostUsd > 0 ? group.actualCostUsd : group.estimatedCostUsd,
});
