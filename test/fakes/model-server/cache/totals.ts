import type { LedgerEntry } from "./ledger-entry.ts";

export interface LedgerTotals {
  readonly requests: number;
  readonly inputTokens: number;
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly missed: number;
  /** In units of one uncached input token. */
  readonly cost: number;
  readonly idealCost: number;
  /** cost / idealCost; 1 when nothing was asked. */
  readonly costRatio: number;
  /** Share of all prompt tokens that came from the cache, 0 to 1. */
  readonly readShare: number;
}

export function totalsOf(entries: readonly LedgerEntry[]): LedgerTotals {
  const sum = (pick: (entry: LedgerEntry) => number): number =>
    entries.reduce((total, entry) => total + pick(entry), 0);
  const [cost, idealCost] = [sum((entry) => entry.cost), sum((entry) => entry.idealCost)];
  const [inputTokens, cacheRead] = [sum((entry) => entry.inputTokens), sum((entry) => entry.cacheRead)];
  return {
    requests: entries.length,
    inputTokens,
    uncached: sum((entry) => entry.uncached),
    cacheRead,
    cacheWrite: sum((entry) => entry.cacheWrite),
    missed: sum((entry) => entry.missed),
    cost,
    idealCost,
    costRatio: idealCost === 0 ? 1 : cost / idealCost,
    readShare: inputTokens === 0 ? 0 : cacheRead / inputTokens,
  };
}

export function reportOf(entries: readonly LedgerEntry[]): string {
  const head = row(["#", "wire", "prompt", "read", "written", "missed", "shared bytes"]);
  const lines = entries.flatMap((entry) => [
    row([
      String(entry.requestNumber),
      entry.protocol,
      ...[entry.inputTokens, entry.cacheRead, entry.cacheWrite, entry.missed, entry.prefixBytesShared].map(String),
    ]),
    ...differenceLines(entry),
  ]);
  const totals = totalsOf(entries);
  return [
    head,
    ...lines,
    `${totals.requests} requests, ${totals.inputTokens} prompt tokens, ${percent(totals.readShare)} read from cache, ${totals.missed} missed`,
    `cost ${totals.cost.toFixed(1)}, ideal ${totals.idealCost.toFixed(1)}, ratio ${totals.costRatio.toFixed(2)}`,
  ].join("\n");
}

const widths = [4, 10, 9, 9, 9, 9, 13];

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(widths[index] ?? 0)).join(" ");
}

function differenceLines(entry: LedgerEntry): readonly string[] {
  const difference = entry.firstDifference;
  if (difference === undefined) return [];
  return [
    `     differs at ${difference.path}`,
    `       before ${JSON.stringify(difference.before)}`,
    `       after  ${JSON.stringify(difference.after)}`,
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
