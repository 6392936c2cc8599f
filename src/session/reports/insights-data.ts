import { type InsightsReport, weekdayNames } from "./insights.ts";

/** The report for programs; inner records keep the names they have in the program. */
export function insightsJson(report: InsightsReport): Record<string, unknown> {
  const { figures } = report;
  return {
    empty: report.isEmpty,
    days: report.days,
    since: new Date(report.sinceMs).toISOString(),
    until: new Date(report.untilMs).toISOString(),
    source: report.source ?? null,
    totals: figures.totals,
    average_session_ms: Math.round(report.averageSessionMs),
    messages_per_session: report.messagesPerSession,
    cache_hit_rate: report.cacheHitRate ?? null,
    fallbacks: report.fallbacks,
    side_calls: figures.sideCalls,
    side_call_share: report.sideCallShare ?? null,
    by_model: figures.byModel,
    by_source: figures.bySource,
    tools: figures.tools,
    skills: report.skills,
    exit_reasons: figures.exitReasons,
    events: figures.events,
    activity: {
      by_weekday: report.weekdays.map((sessions, index) => ({ day: weekdayNames[index] ?? "", sessions })),
      peak_hours: report.peakHours,
      active_days: report.activeDays,
      best_streak: report.bestStreakDays,
    },
    notable: figures.notable,
  };
}

/** One figure per line: `section,name,metric,value`. */
export function insightsCsv(report: InsightsReport): string {
  const { figures } = report;
  const lines: (readonly (string | number)[])[] = [["section", "name", "metric", "value"]];
  for (const [metric, value] of Object.entries(figures.totals)) lines.push(["totals", "", metric, value]);
  for (const [section, groups] of [
    ["model", figures.byModel],
    ["platform", figures.bySource],
  ] as const)
    for (const { name, ...metrics } of groups)
      for (const [metric, value] of Object.entries(metrics)) lines.push([section, name, metric, value]);
  for (const { task, ...metrics } of figures.sideCalls)
    for (const [metric, value] of Object.entries(metrics)) lines.push(["side_call", task, metric, value]);
  for (const { kind, count } of figures.events) lines.push(["event", kind, "count", count]);
  for (const tool of figures.tools) lines.push(["tool", tool.name, "calls", tool.calls]);
  for (const skill of report.skills) {
    lines.push(["skill", skill.name, "loads", skill.loads]);
    lines.push(["skill", skill.name, "edits", skill.edits]);
  }
  for (const { reason, turns } of figures.exitReasons) lines.push(["exit_reason", reason, "turns", turns]);
  return `${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** Quoted where a comma or quote stands in it; a text that a spreadsheet would run as a formula is kept from it. */
function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
