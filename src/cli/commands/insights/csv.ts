import type { Insights, InsightsGroup } from "#store";

const columns = [
  "group",
  "name",
  "sessions",
  "messages",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "estimated_cost_usd",
  "actual_cost_usd",
];

/** One row per model and per surface, for a spreadsheet. */
export function insightsCsv({ byModel, bySource }: Insights): string {
  const rows = [...byModel.map((one) => row("model", one)), ...bySource.map((one) => row("surface", one))];
  return [columns, ...rows].map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

function row(group: string, one: InsightsGroup): readonly string[] {
  const numbers = [
    one.sessions,
    one.messages,
    one.inputTokens,
    one.outputTokens,
    one.cacheReadTokens,
    one.estimatedCostUsd,
    one.actualCostUsd,
  ];
  return [group, one.name, ...numbers.map(String)];
}

/** A name that begins like a formula must stay a text in a spreadsheet. */
function cell(text: string): string {
  const safe = /^[=+@-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
