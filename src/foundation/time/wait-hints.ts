/**
 * The ways servers write "wait this long" or "until then". Each function gives milliseconds from
 * now, never negative and never NaN, or undefined for what it does not recognise.
 */

/**
 * A wait or a reset time from a header or a body: seconds from now (also fractional), seconds or milliseconds since 1970 (told
 * apart by their size), a duration (`1m30.5s`, `250ms`), an HTTP date or an ISO date.
 */
export function parseResetHint(value: string | number, nowMs: number): number | undefined {
  if (typeof value === "number") return fromNumber(value, nowMs);
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return fromNumber(Number(text), nowMs);
  return parseDuration(text) ?? fromDate(text, nowMs);
}

/** No wait lasts three years, so a number of seconds above this is a moment, not a duration. */
const smallestEpochSeconds = 100_000_000;
const smallestEpochMs = 100_000_000_000;

function fromNumber(value: number, nowMs: number): number | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  if (value >= smallestEpochMs) return Math.max(0, value - nowMs);
  if (value >= smallestEpochSeconds) return Math.max(0, value * 1000 - nowMs);
  return value * 1000;
}

const unitMs: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};
const durationPart = /(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)/gy;

/** Go's notation for durations, which several providers use: `6m0s`, `1h2m3.5s`, `88ms`. */
function parseDuration(text: string): number | undefined {
  let totalMs = 0;
  let end = 0;
  for (const match of text.matchAll(durationPart)) {
    totalMs += Number(match[1]) * (unitMs[match[2] ?? ""] ?? Number.NaN);
    end = match.index + match[0].length;
  }
  return end > 0 && end === text.length && Number.isFinite(totalMs) ? totalMs : undefined;
}

/** `Date.parse` takes almost any text for a date; only the forms HTTP and ISO 8601 define are let through. */
const dateShapes = [
  /^[A-Za-z]{3,9}, \d{1,2}[ -][A-Za-z]{3}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Za-z]{3} [A-Za-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/,
];

function fromDate(text: string, nowMs: number): number | undefined {
  const shape = dateShapes.findIndex((pattern) => pattern.test(text));
  if (shape < 0) return undefined;
  // The second shape carries no zone; HTTP defines it as UTC.
  const at = Date.parse(shape === 1 ? `${text} GMT` : text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
