import { shortCount, shortDuration } from "#foundation/text/figures";
import { parseResetHint } from "#foundation/time/retry";

/** One allowance of a provider, as it was when a response arrived. */
export interface RateBucket {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly capturedAtMs: number;
}

type RateBucketName = "requests-minute" | "requests-hour" | "tokens-minute" | "tokens-hour";
export type RateLimits = { readonly [name in RateBucketName]?: RateBucket };

/** Where each bucket's three numbers stand; Anthropic writes its own names and moments instead of durations. */
const headerNames: readonly (readonly [RateBucketName, (field: string) => string])[] = [
  ["requests-minute", (field) => `x-ratelimit-${field}-requests`],
  ["tokens-minute", (field) => `x-ratelimit-${field}-tokens`],
  ["requests-hour", (field) => `x-ratelimit-${field}-requests-1h`],
  ["tokens-hour", (field) => `x-ratelimit-${field}-tokens-1h`],
  ["requests-minute", (field) => `anthropic-ratelimit-requests-${field}`],
  ["tokens-minute", (field) => `anthropic-ratelimit-tokens-${field}`],
];

/** The allowances a response announces; undefined when it announces none. Header names may be in any case. */
export function readRateLimits(headers: Readonly<Record<string, string>>, nowMs: number): RateLimits | undefined {
  const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const found: { [name in RateBucketName]?: RateBucket } = {};
  for (const [bucket, nameOf] of headerNames) {
    const limit = count(all.get(nameOf("limit")));
    const remaining = count(all.get(nameOf("remaining")));
    const resetMs = parseResetHint(all.get(nameOf("reset")) ?? "", nowMs);
    if (found[bucket] !== undefined || (limit === undefined && remaining === undefined)) continue;
    found[bucket] = {
      limit: limit ?? remaining ?? 0,
      remaining: remaining ?? limit ?? 0,
      resetSeconds: (resetMs ?? 0) / 1_000,
      capturedAtMs: nowMs,
    };
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(?:\.\d+)?$/.test(text) ? Math.floor(Number(text)) : undefined;
}

/** Seconds until a bucket is full again, counted from now. */
export function secondsToReset(bucket: RateBucket, nowMs: number): number {
  return Math.max(0, bucket.resetSeconds - (nowMs - bucket.capturedAtMs) / 1_000);
}

/** Until when an emptied bucket blocks (Unix ms); a reset below `minSeconds` is mere throttling and blocks nothing. */
export function blockedUntilMs(limits: RateLimits, minSeconds = 60): number | undefined {
  const ends = Object.values(limits)
    .filter((bucket) => bucket.remaining === 0 && bucket.resetSeconds >= minSeconds)
    .map((bucket) => bucket.capturedAtMs + bucket.resetSeconds * 1_000);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

const labels: Readonly<Record<RateBucketName, string>> = {
  "requests-minute": "requests per minute",
  "requests-hour": "requests per hour",
  "tokens-minute": "tokens per minute",
  "tokens-hour": "tokens per hour",
};

/** One line per bucket, for `/usage`. */
export function describeRateLimits(limits: RateLimits, nowMs: number): readonly string[] {
  return Object.entries(limits).map(([name, bucket]) => {
    const resetMs = secondsToReset(bucket, nowMs) * 1_000;
    const reset = resetMs > 0 ? `, full again in ${shortDuration(resetMs)}` : "";
    const label = labels[name as RateBucketName];
    return `${shortCount(bucket.remaining)} of ${shortCount(bucket.limit)} ${label} left${reset}`;
  });
}

/** The latest allowances per provider, for display. A response that announces nothing changes nothing. */
export class RateLimitLedger {
  readonly #latest = new Map<string, RateLimits>();

  note(provider: string, headers: Readonly<Record<string, string>>, nowMs: number): RateLimits | undefined {
    const limits = readRateLimits(headers, nowMs);
    if (limits !== undefined) this.#latest.set(provider, { ...this.#latest.get(provider), ...limits });
    return limits;
  }

  get(provider: string): RateLimits | undefined {
    return this.#latest.get(provider);
  }
}
