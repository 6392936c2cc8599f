const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "5 minutes ago". */
export function ago(atMs: number, nowMs = Date.now()): string {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const [unit, ms] = units.find(([, size]) => Math.abs(nowMs - atMs) >= size) ?? (["second", 1000] as const);
  return words.format(Math.round((atMs - nowMs) / ms), unit);
}

export const count = (value: number): string =>
  new Intl.NumberFormat("en", { notation: value >= 100_000 ? "compact" : "standard" }).format(value);

export const dollars = (value: number): string => `$${value.toFixed(value < 1 ? 4 : 2)}`;
