import type { SessionId } from "#conversation";
import type { Row, SqlValue } from "../database.ts";
import type {
  Insights,
  InsightsDay,
  InsightsGroup,
  InsightsOptions,
  InsightsTotals,
  NotableSession,
  SideCallGroup,
} from "../records/report.ts";
import { maybeText, millis, number, text } from "../row.ts";
import type { WorkContext } from "./context.ts";

type Input = Omit<InsightsOptions, "signal">;

const tokens = "coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_read_tokens, 0)";
const sums = `count(*) AS sessions, sum(s.message_count) AS messages, sum(s.input_tokens) AS input_tokens,
  sum(s.output_tokens) AS output_tokens, sum(s.cache_read_tokens) AS cache_read_tokens,
  sum(s.estimated_cost_usd) AS estimated_cost_usd, sum(s.actual_cost_usd) AS actual_cost_usd,
  sum(s.estimated_calls) AS estimated_calls`;
const mostTools = 15;
const mostNotable = 3;

/** Everything a report about a period shows, by plain sums over the sessions that began in it. */
export async function insights(context: WorkContext, input: Input): Promise<Insights> {
  const { db } = context;
  const { where, params } = period(input);
  const step = async <T>(part: Promise<T>): Promise<T> => {
    context.signal.throwIfAborted();
    return await part;
  };
  return {
    totals: await step(totals(context, input)),
    byModel: await step(groups(context, input, "coalesce(s.model, 'unknown')")),
    bySource: await step(groups(context, input, "s.source")),
    tools: (
      await step(
        db.all(
          `SELECT m.tool_name AS name, count(*) AS calls FROM messages m JOIN sessions s ON s.id = m.session_id
           WHERE ${where} AND m.role = 'tool' AND m.tool_name IS NOT NULL GROUP BY m.tool_name
           ORDER BY calls DESC, name LIMIT ${mostTools}`,
          params,
        ),
      )
    ).map((row) => ({ name: text(row, "name"), calls: number(row, "calls") })),
    exitReasons: await step(exitReasons(context, input)),
    sideCalls: await step(sideCalls(context, input)),
    events: (
      await step(
        db.all(
          `SELECT e.kind, count(*) AS n FROM session_events e JOIN sessions s ON s.id = e.session_id
           WHERE ${where} GROUP BY e.kind ORDER BY n DESC, e.kind`,
          params,
        ),
      )
    ).map((row) => ({ kind: text(row, "kind"), count: number(row, "n") })),
    byDay: await step(days(context, input)),
    startedAtMs: (
      await step(db.all(`SELECT s.started_at FROM sessions s WHERE ${where} ORDER BY s.started_at`, params))
    ).map((row) => millis(row, "started_at")),
    notable: {
      longest: await step(notable(context, input, "coalesce(s.ended_at, s.started_at) - s.started_at")),
      mostMessages: await step(notable(context, input, "s.message_count")),
      mostTokens: await step(notable(context, input, tokens)),
      mostToolCalls: await step(notable(context, input, "s.tool_call_count")),
    },
  };
}

function period(input: Input): { readonly where: string; readonly params: readonly SqlValue[] } {
  const conditions = ["s.started_at >= ?"];
  const params: SqlValue[] = [input.sinceMs / 1000];
  if (input.untilMs !== undefined) {
    conditions.push("s.started_at < ?");
    params.push(input.untilMs / 1000);
  }
  if (input.source !== undefined) {
    conditions.push("s.source = ?");
    params.push(input.source);
  }
  return { where: conditions.join(" AND "), params };
}

async function totals(context: WorkContext, input: Input): Promise<InsightsTotals> {
  const { where, params } = period(input);
  const sessions = await context.db.get(
    `SELECT ${sums}, sum(s.tool_call_count) AS tool_calls, sum(s.api_call_count) AS api_calls,
       sum(s.cache_write_tokens) AS cache_write_tokens, sum(s.reasoning_tokens) AS reasoning_tokens,
       sum(CASE WHEN s.cost_status = 'unknown' OR (s.cost_status IS NULL AND s.estimated_cost_usd IS NULL
         AND s.actual_cost_usd IS NULL AND coalesce(s.output_tokens, 0) > 0) THEN 1 ELSE 0 END) AS unknown_cost
     FROM sessions s WHERE ${where}`,
    params,
  );
  const messages = await context.db.get(
    `SELECT sum(CASE WHEN m.role = 'user' THEN 1 ELSE 0 END) AS user_messages FROM messages m
     JOIN sessions s ON s.id = m.session_id WHERE ${where}`,
    params,
  );
  const active = await context.db.get(
    `SELECT sum(span) AS seconds FROM (SELECT max(m.timestamp) - min(m.timestamp) AS span FROM messages m
     JOIN sessions s ON s.id = m.session_id WHERE ${where} GROUP BY m.session_id) AS spans`,
    params,
  );
  const row = sessions ?? {};
  return {
    ...sumsOf(row),
    userMessages: number(messages ?? {}, "user_messages"),
    toolCalls: number(row, "tool_calls"),
    apiCalls: number(row, "api_calls"),
    cacheWriteTokens: number(row, "cache_write_tokens"),
    reasoningTokens: number(row, "reasoning_tokens"),
    sessionsWithUnknownCost: number(row, "unknown_cost"),
    activeMs: Math.round(number(active ?? {}, "seconds") * 1000),
  };
}

async function groups(context: WorkContext, input: Input, by: string): Promise<readonly InsightsGroup[]> {
  const { where, params } = period(input);
  const rows = await context.db.all(
    `SELECT ${by} AS name, ${sums} FROM sessions s WHERE ${where} GROUP BY ${by} ORDER BY sum(${tokens}) DESC, 1`,
    params,
  );
  return rows.map((row) => ({ name: text(row, "name"), ...sumsOf(row) }));
}

async function exitReasons(context: WorkContext, input: Input): Promise<Insights["exitReasons"]> {
  const { where, params } = period(input);
  const rows = await context.db.all(
    `SELECT t.exit_reason AS reason, count(*) AS n FROM turns t JOIN sessions s ON s.id = t.session_id
     WHERE ${where} GROUP BY t.exit_reason ORDER BY n DESC, t.exit_reason`,
    params,
  );
  return rows.map((row) => ({ reason: text(row, "reason"), turns: number(row, "n") }));
}

const dayMs = 86_400_000;

async function days(context: WorkContext, input: Input): Promise<readonly InsightsDay[]> {
  const { where, params } = callPeriod(input);
  const day = `(l.created_at_ms - CAST(? AS BIGINT)) / ${dayMs}`;
  const rows = await context.db.all(
    `SELECT day, count(*) AS calls, sum(tokens) AS tokens, sum(cost_usd) AS cost_usd FROM (
       SELECT ${day} AS day, l.cost_usd, coalesce(l.input_tokens, 0) + coalesce(l.output_tokens, 0)
         + coalesce(l.cache_read_tokens, 0) + coalesce(l.cache_write_tokens, 0) AS tokens
       FROM usage_ledger l WHERE ${where}) AS calls GROUP BY day ORDER BY day`,
    [input.sinceMs, ...params],
  );
  return rows.map((row) => ({
    day: number(row, "day"),
    calls: number(row, "calls"),
    tokens: number(row, "tokens"),
    costUsd: number(row, "cost_usd"),
  }));
}

/** By when they were made: some serve a tool that all sessions share and belong to none. */
async function sideCalls(context: WorkContext, input: Input): Promise<readonly SideCallGroup[]> {
  const { where, params } = callPeriod(input);
  const rows = await context.db.all(
    `SELECT l.purpose AS task, count(*) AS calls, sum(l.output_tokens) AS output_tokens,
       sum(coalesce(l.input_tokens, 0) + coalesce(l.cache_read_tokens, 0) + coalesce(l.cache_write_tokens, 0)) AS input_tokens,
       sum(l.cost_usd) AS cost_usd, sum(CASE WHEN l.cost_usd IS NULL THEN 1 ELSE 0 END) AS unpriced,
       sum(coalesce(l.is_estimated, 0)) AS estimated
     FROM usage_ledger l WHERE ${where} AND l.purpose <> 'main' GROUP BY l.purpose ORDER BY calls DESC, l.purpose`,
    params,
  );
  return rows.map((row) => ({
    task: text(row, "task"),
    calls: number(row, "calls"),
    inputTokens: number(row, "input_tokens"),
    outputTokens: number(row, "output_tokens"),
    costUsd: number(row, "cost_usd"),
    unpricedCalls: number(row, "unpriced"),
    estimatedCalls: number(row, "estimated"),
  }));
}

/** The calls that ended in the period. */
function callPeriod(input: Input): { readonly where: string; readonly params: readonly SqlValue[] } {
  const conditions = ["l.status = 'settled'", "l.created_at_ms >= ?"];
  const params: SqlValue[] = [input.sinceMs];
  if (input.untilMs !== undefined) {
    conditions.push("l.created_at_ms < ?");
    params.push(input.untilMs);
  }
  if (input.source !== undefined) {
    conditions.push("l.session_id IN (SELECT s.id FROM sessions s WHERE s.source = ?)");
    params.push(input.source);
  }
  return { where: conditions.join(" AND "), params };
}

async function notable(context: WorkContext, input: Input, value: string): Promise<readonly NotableSession[]> {
  const { where, params } = period(input);
  const rows = await context.db.all(
    `SELECT s.id, s.title, ${value} AS value FROM sessions s WHERE ${where} AND ${value} > 0
     ORDER BY value DESC, s.id LIMIT ${mostNotable}`,
    params,
  );
  return rows.map((row) => ({
    id: text(row, "id") as SessionId,
    title: maybeText(row, "title"),
    value: number(row, "value"),
  }));
}

function sumsOf(row: Row): Omit<InsightsGroup, "name"> {
  return {
    sessions: number(row, "sessions"),
    messages: number(row, "messages"),
    inputTokens: number(row, "input_tokens"),
    outputTokens: number(row, "output_tokens"),
    cacheReadTokens: number(row, "cache_read_tokens"),
    estimatedCostUsd: number(row, "estimated_cost_usd"),
    actualCostUsd: number(row, "actual_cost_usd"),
    estimatedCalls: number(row, "estimated_calls"),
  };
}
