import { parseResetHint, parseRetryAfter } from "#foundation/retry";
import type { OpenedBody } from "./unwrap.ts";

const smallestWindow = 1_024;
const largestWindow = 10_000_000;

/** The context window an overflow message names; undefined when it names only by how much it was exceeded. */
export function contextLimitIn(text: string): number | undefined {
  const patterns = [
    // "maximum context length is 32768 tokens", "maximum prompt length is 131072"
    /maximum (?:context|prompt|model|sequence) length (?:is|of)[:\s]*([\d,]+)/,
    // "214315 tokens > 200000 maximum"
    />\s*([\d,]+)\s*(?:tokens?\s*)?maximum/,
    // "exceeds the maximum number of tokens allowed (1048576)"
    /maximum number of (?:input )?tokens allowed\s*\(?([\d,]+)/,
    // "exceeded model token limit: 131072"
    /(?:model )?token limit[:\s]+(?:is\s+)?([\d,]+)/,
    // "too large for model with 32768 maximum context length"
    /model with ([\d,]+) maximum context/,
    // "context window of 8192 tokens", "context size (4096 tokens)", "context_window: 200000"
    /context[_ ](?:window|size|length|limit)[^\d\n]{0,20}?([\d,]{4,})/,
    // "range of input length should be [1, 129024]"
    /input length should be \[\d+,\s*([\d,]+)\]/,
    /max_model_len[^\d]{0,10}([\d,]+)/,
    /n_ctx[^\d]{0,6}([\d,]+)/,
    /less than ([\d,]+) tokens/,
    /limit (?:of|is) ([\d,]+) tokens/,
  ];
  for (const pattern of patterns) {
    const value = Number(pattern.exec(text)?.[1]?.replaceAll(",", ""));
    if (value >= smallestWindow && value <= largestWindow) return value;
  }
  return undefined;
}

/** Output tokens that would still fit, from a message about the output limit. */
export function availableOutputIn(text: string): number | undefined {
  const named =
    /available[_ ]tokens:?\s*([\d,]+)|available:\s*([\d,]+)|(?:at most|up to) ([\d,]+)|maximum (?:allowed )?(?:value|output)[^\d]{0,30}([\d,]+)/.exec(
      text,
    );
  const found = named?.slice(1).find((group) => group !== undefined);
  if (found !== undefined) return Number(found.replaceAll(",", ""));
  // "190000 + 32768 > 200000": what is left of the window.
  const sum = /([\d,]+)\s*\+\s*[\d,]+\s*>\s*([\d,]+)/.exec(text);
  if (sum === null) return undefined;
  const left = Number(sum[2]?.replaceAll(",", "")) - Number(sum[1]?.replaceAll(",", ""));
  return left > 0 ? left : undefined;
}

/** The parameter a provider refuses, where it names one. */
export function refusedParameterIn(text: string, opened: OpenedBody): string | undefined {
  for (const object of opened.objects) {
    const named = object["param"];
    if (typeof named === "string" && /^[a-z_][\w.[\]]*$/i.test(named)) return named;
    const location = object["loc"];
    if (Array.isArray(location) && typeof location.at(-1) === "string") return location.at(-1) as string;
  }
  if (/stream(?:ing)?\b[^.]{0,40}(?:not supported|unsupported)|does not support streaming/.test(text)) return "stream";
  const quoted =
    /(?:parameter|argument|field|value)s?:?\s*[`'"]([a-z_][\w.]*)[`'"]/.exec(text) ??
    /[`'"]([a-z_][\w.]*)[`'"](?:\s+\w+){0,3}\s+(?:is |are )?(?:not supported|unsupported|not permitted|deprecated)/.exec(
      text,
    ) ??
    /\b(temperature|top_p|top_k|max_tokens|max_completion_tokens|tool_choice|reasoning_effort|reasoning|thinking|stream_options|parallel_tool_calls)\b/.exec(
      text,
    ) ??
    /does not support (tools|images?|function)/.exec(text);
  return quoted?.[1];
}

/** How long to wait: headers first, then fields of the body, then its words. */
export function waitIn(
  headers: Readonly<Record<string, string>>,
  opened: OpenedBody,
  nowMs: number,
): number | undefined {
  const fromHeaders = parseRetryAfter(headers, nowMs);
  if (fromHeaders !== undefined) return fromHeaders;
  for (const object of opened.objects) {
    for (const key of ["retry_after", "retryAfter", "resets_at", "reset_at", "resetAt", "resets_in_seconds"]) {
      const value = object[key];
      if (typeof value !== "string" && typeof value !== "number") continue;
      const waitMs = parseResetHint(value, nowMs);
      if (waitMs !== undefined) return waitMs;
    }
    for (const key of ["retryDelay", "quotaResetDelay"]) {
      const value = object[key];
      const waitMs = typeof value === "string" ? parseResetHint(value, nowMs) : undefined;
      if (waitMs !== undefined) return waitMs;
    }
  }
  return waitInText(opened.text);
}

const unitMs: readonly [RegExp, number][] = [
  [/^(?:ms|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1_000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
];

/** "try again in 6m0s", "retry after 20 seconds", "Please retry in 38.2s", "quotaResetDelay: 250ms". */
function waitInText(text: string): number | undefined {
  const match =
    /(?:retry|again|resets?|available|wait)(?:\s+\w+)?\s+(?:in|after|for)\s+((?:\d+(?:\.\d+)?\s*[a-z]+\s*){1,4})/.exec(
      text,
    );
  if (match?.[1] === undefined) return undefined;
  let total: number | undefined;
  for (const part of match[1].matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unit = unitMs.find(([pattern]) => pattern.test(part[2] ?? ""));
    if (unit === undefined) break;
    total = (total ?? 0) + Number(part[1]) * unit[1];
  }
  return total;
}
