import { defined } from "#foundation/defined";
import type { Insights, Store } from "#store";
import { localMoment } from "./local-moment.ts";

/** How often a skill was loaded and changed, and when last. */
export interface SkillUseFigures {
  readonly name: string;
  readonly loads: number;
  readonly edits: number;
  readonly lastUsedAtMs: number;
}

export interface InsightsOptions {
  readonly days: number;
  readonly nowMs: number;
  readonly source?: string;
  readonly skills?: readonly SkillUseFigures[];
  /** IANA name for weekdays and hours; the machine's own zone when empty. */
  readonly timeZone: string;
}

/** What happened in a period: the store's sums, and what follows from them. */
export interface InsightsReport {
  readonly days: number;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly source: string | undefined;
  readonly isEmpty: boolean;
  readonly figures: Insights;
  readonly averageSessionMs: number;
  readonly messagesPerSession: number;
  /** Share of the prompt that came from cache, 0 to 1; undefined without any prompt. */
  readonly cacheHitRate: number | undefined;
  readonly fallbacks: number;
  /** Model calls for titles, summaries and the like. */
  readonly sideCalls: number;
  /** Their share of all model calls, 0 to 1; undefined without any call. */
  readonly sideCallShare: number | undefined;
  /** Sessions begun per weekday, Monday first. */
  readonly weekdays: readonly number[];
  /** The busiest hours, busiest first. */
  readonly peakHours: readonly { readonly hour: number; readonly sessions: number }[];
  readonly activeDays: number;
  /** Longest run of days with a session. */
  readonly bestStreakDays: number;
  readonly skills: readonly SkillUseFigures[];
}

/** As {@link InsightsReport.weekdays} counts them. */
export const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

const dayMs = 86_400_000;
const mostSkills = 10;
const mostHours = 5;

export async function collectInsights(
  store: Store,
  wanted: InsightsOptions,
  signal: AbortSignal,
): Promise<InsightsReport> {
  const sinceMs = wanted.nowMs - wanted.days * dayMs;
  const source = defined({ source: wanted.source });
  const figures = await store.reports.insights({ sinceMs, ...source, signal });
  const { totals } = figures;
  const sideCalls = figures.sideCalls.reduce((sum, group) => sum + group.calls, 0);
  const allCalls = totals.apiCalls + sideCalls;
  const prompt = totals.inputTokens + totals.cacheReadTokens + totals.cacheWriteTokens;
  const moments = figures.startedAtMs.map((ms) => localMoment(ms, wanted.timeZone));
  const skills = (wanted.skills ?? []).filter((skill) => skill.lastUsedAtMs >= sinceMs);
  return {
    days: wanted.days,
    sinceMs,
    untilMs: wanted.nowMs,
    source: wanted.source,
    isEmpty: totals.sessions === 0,
    figures,
    averageSessionMs: totals.sessions === 0 ? 0 : totals.activeMs / totals.sessions,
    messagesPerSession: totals.sessions === 0 ? 0 : totals.messages / totals.sessions,
    cacheHitRate: prompt === 0 ? undefined : totals.cacheReadTokens / prompt,
    fallbacks: figures.events.find((event) => event.kind === "fallback")?.count ?? 0,
    sideCalls,
    sideCallShare: allCalls === 0 ? undefined : sideCalls / allCalls,
    weekdays: countBy(
      moments.map((moment) => moment.weekday),
      7,
    ),
    peakHours: peaks(moments.map((moment) => moment.hour)),
    ...streaks(moments.map((moment) => moment.day)),
    skills: skills.sort((left, right) => right.loads + right.edits - left.loads - left.edits).slice(0, mostSkills),
  };
}

function countBy(values: readonly number[], size: number): readonly number[] {
  const counts = Array.from({ length: size }, () => 0);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function peaks(hours: readonly number[]): InsightsReport["peakHours"] {
  return countBy(hours, 24)
    .map((sessions, hour) => ({ hour, sessions }))
    .filter(({ sessions }) => sessions > 0)
    .sort((left, right) => right.sessions - left.sessions || left.hour - right.hour)
    .slice(0, mostHours);
}

function streaks(days: readonly number[]): { readonly activeDays: number; readonly bestStreakDays: number } {
  const active = [...new Set(days)].sort((left, right) => left - right);
  let best = 0;
  let run = 0;
  for (const [index, day] of active.entries()) {
    run = index > 0 && active[index - 1] === day - 1 ? run + 1 : 1;
    best = Math.max(best, run);
  }
  return { activeDays: active.length, bestStreakDays: best };
}
