const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `2026-11-16 02:10` in local time. */
export function localTime(atMs: number): string {
  const date = new Date(atMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `90`, `30m`, `12h`, `7d`, `2w` as milliseconds; a bare number counts in `unit`. Undefined when it is none. */
export function durationMs(text: string, unit: "m" | "h" | "d"): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([smhdw]?)$/.exec(text.trim().toLowerCase());
  if (match === null) return undefined;
  const units: Readonly<Record<string, number>> = { s: 1000, m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs };
  return Number(match[1]) * (units[match[2] === "" ? unit : (match[2] ?? unit)] ?? dayMs);
}
