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

/** Cents; of less than one, what is there to see. */
export const dollars = (value: number): string => `$${value.toFixed(value === 0 || value >= 0.01 ? 2 : 4)}`;

/** A moment as people write it: "Thu 19 Nov, 09:00". */
export const moment = (at: number | string): string =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(at));
