import { formatDuration, formatTokens, formatUsd } from "#model";
import type { Insights, InsightsGroup, NotableSession } from "#store";
import type { Style } from "../../output/style.ts";
import { renderTable } from "../../output/table.ts";
import { localTime } from "../../output/times.ts";
import type { Activity } from "./activity.ts";
import type { UsedSkill } from "./skills.ts";

export interface InsightsView {
  readonly report: Insights;
  readonly activity: Activity;
  readonly skills: readonly UsedSkill[];
  readonly days: number;
}

const barWidth = 24;

/** The report for people, section by section. */
export function insightsText(view: InsightsView, style: Style): readonly string[] {
  const { report, activity, skills, days } = view;
  const { tools, exitReasons, events } = report;
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  const share = (count: number): string => (calls === 0 ? "" : `${Math.round((100 * count) / calls)}%`);
  return [
    style.bold(`The last ${days} days`),
    ...totals(report),
    ...section("By model", groups(report.byModel), style),
    ...section("By surface", groups(report.bySource), style),
    ...section("Tools", bars(tools.slice(0, 15).map(({ name, calls: n }) => [name, n, share(n)])), style),
    ...section("Skills", skillLines(skills), style),
    ...section("Days", bars(activity.byWeekday.map(({ day, sessions }) => [day, sessions, ""])), style),
    ...section(
      "Peak hours",
      bars(activity.peakHours.map(({ hour, sessions }) => [hourName(hour), sessions, ""])),
      style,
    ),
    `  ${activity.activeDays} active days, best streak ${activity.bestStreak}`,
    ...section("How turns ended", bars(exitReasons.map(({ reason, turns }) => [reason, turns, ""])), style),
    ...section("Events", bars(events.map(({ kind, count }) => [kind, count, ""])), style),
    ...section("Notable sessions", notable(report.notable), style),
  ];
}

function totals({ totals: all }: Insights): readonly string[] {
  const perSession = (value: number): number => value / Math.max(1, all.sessions);
  const prompt = all.inputTokens + all.cacheReadTokens + all.cacheWriteTokens;
  const unknown = all.sessionsWithUnknownCost;
  return [
    `  sessions ${all.sessions}   messages ${all.messages} (${all.userMessages} yours, ${perSession(all.messages).toFixed(1)} a session)   tool calls ${all.toolCalls}   model calls ${all.apiCalls}`,
    `  tokens in ${formatTokens(all.inputTokens)}   out ${formatTokens(all.outputTokens)}   total ${formatTokens(all.inputTokens + all.outputTokens)}   from cache ${prompt === 0 ? 0 : Math.round((100 * all.cacheReadTokens) / prompt)}%`,
    `  active time ${formatDuration(all.activeMs)}   average session ${formatDuration(perSession(all.activeMs))}`,
    `  cost estimated ${formatUsd(all.estimatedCostUsd)}   billed ${formatUsd(all.actualCostUsd)}${unknown === 0 ? "" : `   (not known for ${unknown} sessions)`}`,
  ];
}

function groups(rows: readonly InsightsGroup[]): readonly string[] {
  if (rows.length === 0) return [];
  return renderTable(
    [
      { title: "Name", isFlexible: true },
      { title: "Sessions", align: "right" },
      { title: "Messages", align: "right" },
      { title: "In", align: "right" },
      { title: "Out", align: "right" },
      { title: "Estimated", align: "right" },
      { title: "Billed", align: "right" },
    ],
    rows.map((row) => [
      row.name,
      String(row.sessions),
      String(row.messages),
      formatTokens(row.inputTokens),
      formatTokens(row.outputTokens),
      formatUsd(row.estimatedCostUsd),
      formatUsd(row.actualCostUsd),
    ]),
    96,
  );
}

/** A line of blocks for each row, the longest for the largest number. */
function bars(rows: readonly (readonly [string, number, string])[]): readonly string[] {
  const most = Math.max(1, ...rows.map(([, value]) => value));
  const width = Math.min(32, Math.max(0, ...rows.map(([name]) => name.length)));
  return rows.map(([name, value, note]) => {
    const bar = "█".repeat(value === 0 ? 0 : Math.max(1, Math.round((value / most) * barWidth)));
    return `${name.slice(0, width).padEnd(width)}  ${bar.padEnd(barWidth)} ${value} ${note}`.trimEnd();
  });
}

function skillLines(skills: readonly UsedSkill[]): readonly string[] {
  return skills.map(
    ({ name, loads, edits, lastUsedAtMs }) =>
      `${name.padEnd(24)} ${loads} loads, ${edits} edits, last ${localTime(lastUsedAtMs)}`,
  );
}

function notable(rows: Insights["notable"]): readonly string[] {
  const first = (title: string, list: readonly NotableSession[], show: (value: number) => string): readonly string[] =>
    list.slice(0, 1).map(({ id, title: name, value }) => `${title.padEnd(16)} ${show(value)}  ${name ?? id}`);
  return [
    ...first("longest", rows.longest, formatDuration),
    ...first("most messages", rows.mostMessages, String),
    ...first("most tokens", rows.mostTokens, formatTokens),
    ...first("most tool calls", rows.mostToolCalls, String),
  ];
}

function section(title: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : ["", style.bold(title), ...lines.map((line) => `  ${line}`)];
}

const hourName = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;
