import { describe, expect, it } from "vitest";
import { blockedUntilMs, describeRateLimits, RateLimitLedger, readRateLimits, secondsToReset } from "./rate-limits.ts";

const now = Date.UTC(2026, 0, 1);

describe("rate-limit headers", () => {
  it("become four buckets, whatever the case of their names [10:ERR-14] [20:R6.14]", () => {
    const limits = readRateLimits(
      {
        "X-RateLimit-Limit-Requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
        "X-RateLimit-Limit-Requests-1H": "1000",
        "X-RateLimit-Remaining-Requests-1H": "0",
        "X-RateLimit-Reset-Requests-1H": "1800",
        "x-ratelimit-limit-tokens-1h": "8000000",
        "x-ratelimit-remaining-tokens-1h": "12",
        "x-ratelimit-reset-tokens-1h": "1800.5",
      },
      now,
    );
    expect(limits).toEqual({
      "requests-minute": { limit: 60, remaining: 59, resetSeconds: 1, capturedAtMs: now },
      "tokens-minute": { limit: 150_000, remaining: 149_984, resetSeconds: 360, capturedAtMs: now },
      "requests-hour": { limit: 1_000, remaining: 0, resetSeconds: 1_800, capturedAtMs: now },
      "tokens-hour": { limit: 8_000_000, remaining: 12, resetSeconds: 1_800.5, capturedAtMs: now },
    });
  });

  it("[10:A11.13] an empty bucket that stays empty for a minute blocks; a short one does not [10:ERR-11]", () => {
    const at = (reset: string) =>
      readRateLimits({ "X-RateLimit-Remaining-Requests-1H": "0", "x-ratelimit-reset-requests-1h": reset }, now);
    expect(blockedUntilMs(at("1800") ?? {})).toBe(now + 1_800_000);
    expect(blockedUntilMs(at("59") ?? {})).toBeUndefined();
  });

  it("reads Anthropic's names and moments", () => {
    const limits = readRateLimits(
      {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:30Z",
      },
      now,
    );
    expect(limits).toEqual({ "requests-minute": { limit: 50, remaining: 49, resetSeconds: 30, capturedAtMs: now } });
  });

  it("are shown as they stand now [10:ERR-14]", () => {
    const ledger = new RateLimitLedger();
    ledger.note(
      "openai",
      {
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "12400",
        "x-ratelimit-reset-tokens": "60",
      },
      now,
    );
    ledger.note("openai", { "content-type": "text/plain" }, now);
    const limits = ledger.get("openai") ?? {};
    expect(describeRateLimits(limits, now + 15_000)).toEqual([
      "12.4K of 150K tokens per minute left, full again in 45s",
    ]);
    expect(describeRateLimits(limits, now + 99_000)).toEqual(["12.4K of 150K tokens per minute left"]);
    const bucket = limits["tokens-minute"];
    expect(bucket && secondsToReset(bucket, now + 99_000)).toBe(0);
  });

  it("that are nonsense are ignored", () => {
    expect(readRateLimits({ "x-ratelimit-limit-requests": "many", "x-ratelimit-reset": "soon" }, now)).toBeUndefined();
  });
});
