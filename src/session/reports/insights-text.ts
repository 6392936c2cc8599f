import { plural, relativeTime, shortCount, shortDuration } from "#foundation/text/figures";
import { truncateEnd } from "#foundation/text/text";
import { displayWidth } from "#foundation/text/width";
import { type InsightsReport, weekdayNames } from "./insights.ts";

const barWidth = 24;
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** The report as plain text: the whole of it for terminals, a few lines for chats. */
export function insightsText(report: InsightsReport, { form }: { readonly form: "full" | "short" }): string {
  const where = report.source === undefined ? "" : ` on ${report.source}`;
  if (report.isEmpty) return `No sessions${where} in the last ${plural(report.days, "day")}.`;
  const title = `Last ${plural(report.days, "day")}${where}`;
  if (form === "short") return [title, ...shortLines(report)].join("\n");
  const sections = [overview, money, models, platforms, sideTasks, tools, skills, rhythm, notable, endings].map(
    (draw) => draw(report),
  );
  return [title, ...sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"))].join("\n\n");
}

function shortLines(report: InsightsReport): readonly string[] {
  const { totals, byModel, tools: toolCalls } = report.figures;
  const tokens = totals.inputTokens + totals.cacheReadTokens + totals.cacheWriteTokens + totals.outputTokens;
  const [model] = byModel;
  const names = toolCalls.slice(0, 3).map((tool) => `${tool.name} (${tool.calls})`);
  return [
    `${plural(totals.sessions, "session")}, ${plural(totals.messages, "message")}, ${tokenCount(tokens, totals)} tokens`,
    `Cost: ${costLine(report)}`,
    ...(model === undefined ? [] : [`Most used model: ${model.name}`]),
    ...(names.length === 0 ? [] : [`Most used tools: ${names.join(", ")}`]),
    `${plural(report.activeDays, "active day")}, best streak ${report.bestStreakDays}`,
  ];
}

function overview(report: InsightsReport): readonly string[] {
  const { totals } = report.figures;
  const prompt = totals.inputTokens + totals.cacheReadTokens + totals.cacheWriteTokens;
  return table([
    ["Sessions", String(totals.sessions), "Messages", String(totals.messages)],
    ["Your messages", String(totals.userMessages), "Tool calls", String(totals.toolCalls)],
    ["Input tokens", tokenCount(prompt, totals), "Output tokens", tokenCount(totals.outputTokens, totals)],
    ["Total tokens", tokenCount(prompt + totals.outputTokens, totals), "Model calls", String(totals.apiCalls)],
    ["Active time", shortDuration(totals.activeMs), "Average session", shortDuration(report.averageSessionMs)],
    ["Messages per session", report.messagesPerSession.toFixed(1), "Fallbacks", String(report.fallbacks)],
    ...(totals.estimatedCalls === 0
      ? []
      : [
          ["Estimated tokens", `${plural(totals.estimatedCalls, "model call")} that the server reported no counts for`],
        ]),
  ]);
}

/** With the mark of an estimate where a server left some of it uncounted. */
function tokenCount(tokens: number, { estimatedCalls }: { readonly estimatedCalls: number }): string {
  return `${estimatedCalls > 0 ? "~" : ""}${shortCount(tokens)}`;
}

function money(report: InsightsReport): readonly string[] {
  const { cacheHitRate: rate, sideCalls, sideCallShare: share } = report;
  return table([
    ["Cost", costLine(report)],
    ["From cache", rate === undefined ? "no prompts" : `${Math.round(rate * 100)}% of the prompts`],
    ["Side calls", share === undefined ? "none" : `${sideCalls} (${Math.round(share * 100)}% of all model calls)`],
  ]);
}

function costLine(report: InsightsReport): string {
  const { estimatedCostUsd, actualCostUsd, sessionsWithUnknownCost } = report.figures.totals;
  const parts = [`$${estimatedCostUsd.toFixed(2)} estimated`, `$${actualCostUsd.toFixed(2)} billed`];
  if (sessionsWithUnknownCost > 0) parts.push(`${plural(sessionsWithUnknownCost, "session")} of unknown cost`);
  return parts.join(", ");
}

function models(report: InsightsReport): readonly string[] {
  const rows = report.figures.byModel.map((one) => [
    truncateEnd(one.name, 36),
    String(one.sessions),
    tokenCount(one.inputTokens + one.cacheReadTokens, one),
    tokenCount(one.outputTokens, one),
    `$${(one.estimatedCostUsd + one.actualCostUsd).toFixed(2)}`,
  ]);
  return table([["Model", "Sessions", "Input", "Output", "Cost"], ...rows]);
}

function platforms(report: InsightsReport): readonly string[] {
  const rows = report.figures.bySource.map((one) => [one.name, String(one.sessions), String(one.messages)]);
  return table([["Platform", "Sessions", "Messages"], ...rows]);
}

/** What ran beside the conversations, and what it cost: the money nobody sees being spent. */
function sideTasks(report: InsightsReport): readonly string[] {
  const rows = report.figures.sideCalls.map((one) => [
    one.task,
    String(one.calls),
    tokenCount(one.inputTokens, one),
    tokenCount(one.outputTokens, one),
    one.unpricedCalls === one.calls ? "n/a" : `$${one.costUsd.toFixed(2)}`,
  ]);
  return rows.length === 0 ? [] : table([["Side task", "Calls", "Input", "Output", "Cost"], ...rows]);
}

function tools(report: InsightsReport): readonly string[] {
  const all = report.figures.tools;
  if (all.length === 0) return [];
  const total = Math.max(
    report.figures.totals.toolCalls,
    all.reduce((sum, tool) => sum + tool.calls, 0),
  );
  const most = Math.max(...all.map((tool) => tool.calls));
  const rows = all.map((tool) => [
    tool.name,
    String(tool.calls),
    `${Math.round((tool.calls / total) * 100)}%`,
    bar(tool.calls, most),
  ]);
  return table([["Tool", "Calls", "Share", ""], ...rows]);
}

function skills(report: InsightsReport): readonly string[] {
  if (report.skills.length === 0) return [];
  const rows = report.skills.map((skill) => [
    skill.name,
    String(skill.loads),
    String(skill.edits),
    relativeTime(skill.lastUsedAtMs, report.untilMs),
  ]);
  return table([["Skill", "Loads", "Edits", "Last use"], ...rows]);
}

function rhythm(report: InsightsReport): readonly string[] {
  const most = Math.max(...report.weekdays);
  const days = report.weekdays.map((sessions, index) => [
    weekdayNames[index] ?? "",
    String(sessions),
    bar(sessions, most),
  ]);
  const hours = report.peakHours.map(({ hour, sessions }) => `${String(hour).padStart(2, "0")}:00 (${sessions})`);
  return [
    ...table(days),
    `Busiest hours: ${hours.join(", ")}`,
    `Active days: ${report.activeDays}, best streak: ${plural(report.bestStreakDays, "day")}`,
  ];
}

function notable(report: InsightsReport): readonly string[] {
  const { longest, mostMessages, mostTokens, mostToolCalls } = report.figures.notable;
  const kinds = [
    ["Longest", longest, (value: number) => shortDuration(value * 1000)],
    ["Most messages", mostMessages, String],
    ["Most tokens", mostTokens, shortCount],
    ["Most tool calls", mostToolCalls, String],
  ] as const;
  const rows = kinds.flatMap(([label, sessions, show]) => {
    const [first] = sessions;
    return first === undefined ? [] : [[label, show(first.value), truncateEnd(first.title ?? first.id, 48)]];
  });
  return table(rows);
}

const endingWords: Readonly<Record<string, string>> = {
  text_response: "an answer",
  interrupted_by_user: "a stop",
  interrupted_during_api_call: "a stop",
  interrupted_during_retry: "a stop",
  max_iterations_reached: "the step limit",
  length_truncated: "the model's output limit",
  truncated_tool_call: "the model's output limit",
  thinking_budget_exhausted: "the model's output limit",
  rate_limited: "the provider's limits",
  api_retries_exhausted: "a failure of the provider",
  non_retryable_error: "a failure of the provider",
  invalid_response: "a failure of the provider",
  context_overflow: "a full context window",
  payload_too_large: "a full context window",
  budget_exceeded: "the budget",
};

function endings(report: InsightsReport): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reason, turns } of report.figures.exitReasons) {
    const words = endingWords[reason] ?? reason.replaceAll("_", " ");
    counts.set(words, (counts.get(words) ?? 0) + turns);
  }
  const rows = [...counts].sort(([, left], [, right]) => right - left).map(([words, turns]) => [words, String(turns)]);
  return rows.length === 0 ? [] : table([["Turns ended by", ""], ...rows]);
}

/** A bar in eighths of a cell; the smallest value above zero is still seen. */
export function bar(value: number, most: number, width = barWidth): string {
  if (value <= 0 || most <= 0) return "";
  const cells = Math.max(1, Math.round((Math.min(value, most) / most) * width * 8));
  return "█".repeat(Math.floor(cells / 8)) + (eighths[cells % 8] ?? "");
}

/** Columns of equal width; words to the left, as terminals and chats both show them. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  return rows.map((row) =>
    row
      .map((cell, index) => cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cell))))
      .join("  ")
      .trimEnd(),
  );
}
