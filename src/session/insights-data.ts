import type { InsightsReport } from "./insights.ts";

/** The report for programs. */
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
    auxiliary_calls: report.auxiliaryCalls ?? null,
    models: figures.byModel,
    platforms: figures.bySource,
    tools: figures.tools,
    skills: report.skills,
    exit_reasons: figures.exitReasons,
    weekdays: report.weekdays,
    peak_hours: report.peakHours,
    active_days: report.activeDays,
    best_streak_days: report.bestStreakDays,
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
