import type { Usage } from "#conversation";
import { countIn, objectIn } from "./fields.ts";

/**
 * Tokens as each wire counts them, in our terms: `input` never holds cached tokens. Undefined when the
 * object holds no count at all, which is not the same as nothing having been used.
 */
export function chatUsage(value: unknown): Usage | undefined {
  const usage = objectIn(value);
  if (!hasCount(usage, ["prompt_tokens", "completion_tokens", "total_tokens"])) return undefined;
  const details = objectIn(usage["prompt_tokens_details"]);
  const output = objectIn(usage["completion_tokens_details"] ?? usage["output_tokens_details"]);
  const cacheRead = countIn(
    details["cached_tokens"] ??
      usage["cache_read_input_tokens"] ??
      // DeepSeek and Moonshot have names of their own.
      usage["prompt_cache_hit_tokens"] ??
      usage["cached_tokens"],
  );
  const cacheWrite = countIn(details["cache_write_tokens"] ?? usage["cache_creation_input_tokens"]);
  return {
    input: rest(usage["prompt_tokens"], cacheRead + cacheWrite),
    output: countIn(usage["completion_tokens"]),
    cacheRead,
    cacheWrite,
    reasoning: countIn(output["reasoning_tokens"]),
  };
}

export function anthropicUsage(value: unknown): Usage | undefined {
  const usage = objectIn(value);
  const names = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  if (!hasCount(usage, names)) return undefined;
  return {
    input: countIn(usage["input_tokens"]),
    output: countIn(usage["output_tokens"]),
    cacheRead: countIn(usage["cache_read_input_tokens"]),
    cacheWrite: countIn(usage["cache_creation_input_tokens"]),
    reasoning: 0,
  };
}

export function responsesUsage(value: unknown): Usage | undefined {
  const usage = objectIn(value);
  if (!hasCount(usage, ["input_tokens", "output_tokens"])) return undefined;
  const details = objectIn(usage["input_tokens_details"]);
  const cacheRead = countIn(details["cached_tokens"]);
  const cacheWrite = countIn(details["cache_creation_tokens"] ?? details["cache_write_tokens"]);
  return {
    input: rest(usage["input_tokens"], cacheRead + cacheWrite),
    output: countIn(usage["output_tokens"]),
    cacheRead,
    cacheWrite,
    reasoning: countIn(objectIn(usage["output_tokens_details"])["reasoning_tokens"]),
  };
}

export function geminiUsage(value: unknown): Usage | undefined {
  const usage = objectIn(value);
  if (!hasCount(usage, ["promptTokenCount", "candidatesTokenCount", "totalTokenCount"])) return undefined;
  const cacheRead = countIn(usage["cachedContentTokenCount"]);
  const reasoning = countIn(usage["thoughtsTokenCount"]);
  return {
    input: rest(usage["promptTokenCount"], cacheRead),
    // Thoughts are billed as output but counted beside it.
    output: countIn(usage["candidatesTokenCount"]) + reasoning,
    cacheRead,
    cacheWrite: 0,
    reasoning,
  };
}

export function bedrockUsage(value: unknown): Usage | undefined {
  const usage = objectIn(value);
  if (!hasCount(usage, ["inputTokens", "outputTokens"])) return undefined;
  return {
    input: countIn(usage["inputTokens"]),
    output: countIn(usage["outputTokens"]),
    cacheRead: countIn(usage["cacheReadInputTokens"]),
    cacheWrite: countIn(usage["cacheWriteInputTokens"]),
    reasoning: 0,
  };
}

/** Counts that come in several events are cumulative; the largest is the last. */
export function laterUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  return {
    input: Math.max(earlier.input, later.input),
    output: Math.max(earlier.output, later.output),
    cacheRead: Math.max(earlier.cacheRead, later.cacheRead),
    cacheWrite: Math.max(earlier.cacheWrite, later.cacheWrite),
    reasoning: Math.max(earlier.reasoning, later.reasoning),
  };
}

function hasCount(usage: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.some((name) => typeof usage[name] === "number");
}

function rest(total: unknown, known: number): number {
  return Math.max(0, countIn(total) - known);
}
