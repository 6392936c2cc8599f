import type { Hono } from "hono";
import { collectInsights } from "#session";
import type { DashboardDeps } from "../deps.ts";

const dayMs = 86_400_000;

/** `GET /api/analytics/usage?days=`: what was used and what it cost. */
export function insightRoutes(app: Hono, deps: DashboardDeps): void {
  const { store, clock } = deps;
  app.get("/api/analytics/usage", async (c) => {
    const asked = Number(c.req.query("days"));
    const days = Number.isSafeInteger(asked) && asked > 0 && asked <= 3650 ? asked : 30;
    const nowMs = clock.now();
    const report = await collectInsights(store, { days, nowMs, skills: [] }, c.req.raw.signal);
    const { totals, byModel, bySource, startedAtMs } = report.figures;
    const perDay = Array.from({ length: days }, () => 0);
    for (const ms of startedAtMs) {
      const day = days - 1 - Math.floor((nowMs - ms) / dayMs);
      if (day >= 0 && day < days) perDay[day] = (perDay[day] ?? 0) + 1;
    }
    return c.json({
      days,
      until_ms: nowMs,
      cache_hit_rate: report.cacheHitRate ?? null,
      sessions: totals.sessions,
      messages: totals.messages,
      tool_calls: totals.toolCalls,
      input_tokens: totals.inputTokens + totals.cacheReadTokens + totals.cacheWriteTokens,
      output_tokens: totals.outputTokens,
      cost_usd: totals.actualCostUsd > 0 ? totals.actualCostUsd : totals.estimatedCostUsd,
      sessions_with_unknown_cost: totals.sessionsWithUnknownCost,
      sessions_per_day: perDay,
      budgets: await budgets(deps),
      by_model: byModel.map(groupView),
      by_source: bySource.map(groupView),
    });
  });
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
