import { parseResetHint } from "./wait-hints.ts";

export { parseResetHint } from "./wait-hints.ts";

export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** How much is added at random, as a share of the delay (default 0.5). */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** The wait before another attempt: `min(base * 2^(attempt-1), max)` plus up to `jitter` of it. Attempts count from 1. */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const exponent = Math.min(Math.max(0, Math.floor(attempt) - 1), 60);
  const delayMs = Math.min(options.baseMs * 2 ** exponent, options.maxMs);
  const random = options.random ?? Math.random;
  return Math.max(0, Math.round(delayMs + random() * (options.jitter ?? 0.5) * delayMs));
}

/** The longest reset any provider announces is a week; more is a mistake of the server or of the clock. */
const longestWaitMs = 7 * 24 * 60 * 60 * 1000;

/**
 * How long a server asked to wait, in milliseconds, or undefined when it did not say. Looks at
 * `retry-after-ms`, then `retry-after` (seconds or an HTTP date), then the reset times of rate-limit
 * buckets. Never negative and never more than `maxMs` (a week unless told otherwise).
 */
export function parseRetryAfter(
  headers: Headers | Readonly<Record<string, string>>,
  nowMs: number,
  options: { readonly maxMs?: number } = {},
): number | undefined {
  const all = lowerCased(headers);
  const waitMs =
    plainMs(all.get("retry-after-ms")) ??
    parseResetHint(all.get("retry-after") ?? "", nowMs) ??
    bucketWaitMs(all, nowMs);
  return waitMs === undefined ? undefined : Math.min(waitMs, options.maxMs ?? longestWaitMs);
}

function lowerCased(headers: Headers | Readonly<Record<string, string>>): Map<string, string> {
  const entries =
    headers instanceof Headers || isIterableHeaders(headers) ? [...headers.entries()] : Object.entries(headers);
  return new Map(entries.map(([name, value]) => [name.toLowerCase(), String(value).trim()]));
}

/** Headers of another fetch implementation are not `instanceof` the global one. */
function isIterableHeaders(headers: object): headers is Headers {
  return "entries" in headers && typeof headers.entries === "function";
}

function plainMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+(?:\.\d+)?$/.test(text)) return undefined;
  return Number(text);
}

const resetName = /^(?:x-)?ratelimit-reset(-.+)?$|^anthropic-ratelimit-(.+)-reset$/;

/**
 * A server may announce several buckets (requests, tokens, per minute, per day). Those with nothing
 * left all have to refill, so the longest of them counts; when none says it is empty, the shortest of those
 * that do not say. A bucket with something left is not what the server waits for.
 */
function bucketWaitMs(headers: ReadonlyMap<string, string>, nowMs: number): number | undefined {
  const empty: number[] = [];
  const other: number[] = [];
  for (const [name, value] of headers) {
    if (!resetName.test(name)) continue;
    const waitMs = parseResetHint(value, nowMs);
    if (waitMs === undefined) continue;
    const left = headers.get(name.replace("reset", "remaining"));
    if (left === undefined || left === "") other.push(waitMs);
    else if (Number(left) === 0) empty.push(waitMs);
  }
  if (empty.length > 0) return Math.max(...empty);
  return other.length > 0 ? Math.min(...other) : undefined;
}
