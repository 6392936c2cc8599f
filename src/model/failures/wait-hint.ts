import { parseResetHint, parseRetryAfter } from "#foundation/time/retry";
import type { OpenedBody } from "./unwrap.ts";

const fieldNames = [
  "retry_after",
  "retryAfter",
  "retry_after_seconds",
  "resets_at",
  "reset_at",
  "resetsAt",
  "resetAt",
  "resets_in_seconds",
  "retryDelay",
  "quotaResetDelay",
  "quotaResetTimeStamp",
];
const longestMs = 7 * 86_400_000;

/** How long to wait: headers first, then fields of the body, then its words. Never negative, never more than a week. */
export function waitIn(
  headers: Readonly<Record<string, string>>,
  opened: OpenedBody,
  nowMs: number,
): number | undefined {
  const waitMs = parseRetryAfter(headers, nowMs) ?? waitInFields(opened, nowMs) ?? waitInText(opened.text);
  return waitMs === undefined ? undefined : Math.min(Math.round(waitMs), longestMs);
}

function waitInFields(opened: OpenedBody, nowMs: number): number | undefined {
  for (const object of opened.objects) {
    const headers = object["headers"];
    const inner = typeof headers === "object" && headers !== null ? headerWait(headers, nowMs) : undefined;
    if (inner !== undefined) return inner;
    for (const name of fieldNames) {
      const value = object[name];
      if (typeof value !== "string" && typeof value !== "number") continue;
      const waitMs = parseResetHint(value, nowMs);
      if (waitMs !== undefined) return waitMs;
    }
  }
  return undefined;
}

/** OpenRouter repeats the headers of the limit inside the body (`error.metadata.headers`). */
function headerWait(headers: object, nowMs: number): number | undefined {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : [],
  );
  return parseRetryAfter(Object.fromEntries(texts.slice(0, 50)), nowMs);
}

const unitMs: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1_000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
];

/** "try again in 6m0s", "retry after 20 seconds", "Please retry in 38.2s", "try again in 5 days 3 hours", "quotaResetDelay: 250ms". */
function waitInText(text: string): number | undefined {
  const match =
    /(?:retry|again|resets?|available|wait)(?: \w{1,20})? (?:in|after|for) ((?:\d{1,9}(?:\.\d{1,9})? ?[a-z]{1,12}[ ,]{0,2}){1,4})/.exec(
      text,
    ) ??
    /(?:retry after|please wait|quotaresetdelay"?[:=]) ?"?((?:\d{1,9}(?:\.\d{1,9})? ?[a-z]{1,12}[ ,]{0,2}){1,4})/.exec(
      text,
    );
  let total: number | undefined;
  for (const part of (match?.[1] ?? "").matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/g)) {
    const unit = unitMs.find(([pattern]) => pattern.test(part[2] ?? ""));
    if (unit === undefined) break;
    total = (total ?? 0) + Number(part[1]) * unit[1];
  }
  return total;
}
