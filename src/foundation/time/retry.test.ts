import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffMs, parseResetHint, parseRetryAfter } from "./retry.ts";

const now = Date.UTC(2026, 10, 15, 12, 0, 0);

describe("back-off", () => {
  test.each([
    [1, 2_000, 3_000],
    [2, 4_000, 6_000],
    [3, 8_000, 12_000],
    [6, 60_000, 90_000],
    [1_000, 60_000, 90_000],
  ])("[10:ERR-3] [20:R5.6] attempt %i waits between %i and %i ms", (attempt, least, most) => {
    const options = { baseMs: 2_000, maxMs: 60_000 };
    expect(backoffMs(attempt, { ...options, random: () => 0 })).toBe(least);
    expect(backoffMs(attempt, { ...options, random: () => 1 })).toBe(most);
    expect(backoffMs(attempt, options)).toBeGreaterThanOrEqual(least);
    expect(backoffMs(attempt, options)).toBeLessThanOrEqual(most);
  });

  test("without jitter the wait is exact", () => {
    expect(backoffMs(2, { baseMs: 5_000, maxMs: 120_000, jitter: 0 })).toBe(10_000);
  });

  test("it is never negative, never NaN, and capped", () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(), fc.nat(), (attempt, baseMs, maxMs) => {
        const wait = backoffMs(attempt, { baseMs, maxMs });
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(Math.round(maxMs * 1.5) + 1);
      }),
    );
  });
});

describe("how long a server asks to wait", () => {
  test.each<[string, Record<string, string>, number | undefined]>([
    ["seconds", { "retry-after": "10" }, 10_000],
    ["zero seconds", { "retry-after": "0" }, 0],
    ["fractional seconds", { "Retry-After": "1.5" }, 1_500],
    ["an HTTP date", { "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" }, 30_000],
    ["a date of RFC 850", { "retry-after": "Sunday, 15-Nov-26 12:00:30 GMT" }, 30_000],
    ["an asctime date", { "retry-after": "Sun Nov 15 12:00:30 2026" }, 30_000],
    ["a date that has passed", { "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }, 0],
    ["milliseconds, before seconds", { "retry-after-ms": "250", "retry-after": "1" }, 250],
    ["a duration", { "x-ratelimit-reset-requests": "1m30.5s" }, 90_500],
    ["a short duration", { "x-ratelimit-reset-tokens": "88ms" }, 88],
    ["seconds since 1970", { "x-ratelimit-reset": String(now / 1000 + 60) }, 60_000],
    ["milliseconds since 1970", { "X-RateLimit-Reset": String(now + 5_000) }, 5_000],
    ["seconds in a reset header", { "ratelimit-reset": "12" }, 12_000],
    ["Discord's reset", { "x-ratelimit-reset-after": "0.75" }, 750],
    ["Anthropic's reset", { "anthropic-ratelimit-tokens-reset": "2026-11-15T12:00:20Z" }, 20_000],
    ["Retry-After before a bucket", { "retry-after": "3", "x-ratelimit-reset-requests": "1h" }, 3_000],
    ["an unreadable Retry-After, then a bucket", { "retry-after": "soon", "x-ratelimit-reset": "9" }, 9_000],
    [
      "the bucket that is empty",
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "40s",
        "x-ratelimit-remaining-tokens": "5",
        "x-ratelimit-reset-tokens": "1s",
      },
      40_000,
    ],
    [
      "no bucket that has something left",
      { "x-ratelimit-remaining-requests": "9999", "x-ratelimit-reset-requests": "6ms" },
      undefined,
    ],
    [
      "the longest of two empty buckets",
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "40s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "50s",
      },
      50_000,
    ],
    [
      "the shortest when none says it is empty",
      { "x-ratelimit-reset-requests": "40s", "x-ratelimit-reset-tokens": "1s" },
      1_000,
    ],
    ["nothing", { "content-type": "text/plain" }, undefined],
    ["a negative number", { "retry-after": "-5" }, undefined],
    ["prose that Date.parse would take for a date", { "retry-after": "in 5 minutes" }, undefined],
  ])("[10:ERR-4] [20:R5.6] reads %s", (_, headers, expected) => {
    expect(parseRetryAfter(headers, now)).toBe(expected);
    expect(parseRetryAfter(new Headers(headers), now)).toBe(expected);
  });

  test("[10:ERR-4] a caller's cap holds: 900 seconds become 120", () => {
    expect(parseRetryAfter({ "retry-after": "900" }, now, { maxMs: 120_000 })).toBe(120_000);
  });

  test("whatever the header says, the wait is a number between zero and a week", () => {
    const value = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.bigInt().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.stringMatching(/^\d{1,30}(\.\d{1,5})?(ms|s|m|h|d)?$/),
    );
    const name = fc.constantFrom("retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-requests");
    fc.assert(
      fc.property(name, value, (header, text) => {
        const wait = parseRetryAfter({ [header]: text }, now);
        if (wait === undefined) return;
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(604_800_000);
      }),
      { numRuns: 1_000 },
    );
  });
});

test("[10:ERR-5] reset hints of a body are numbers, dates or durations", () => {
  expect(parseResetHint(now / 1000 + 5, now)).toBe(5_000);
  expect(parseResetHint(30, now)).toBe(30_000);
  expect(parseResetHint("2026-11-15T13:00:00+01:00", now)).toBe(0);
  expect(parseResetHint("1h2m3.5s", now)).toBe(3_723_500);
  expect(parseResetHint(Number.NaN, now)).toBeUndefined();
  expect(parseResetHint("", now)).toBeUndefined();
});
