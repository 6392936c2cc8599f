import type { OpenedBody } from "./unwrap.ts";

const smallestWindow = 1_024;
const largestWindow = 10_000_000;

const windowPatterns: readonly RegExp[] = [
  // "maximum context length is 32768 tokens", "maximum prompt length is 131072"
  /maximum (?:context|prompt|model|sequence) length (?:is|of)[: ]{0,3}([\d,]+)/,
  // "214315 tokens > 200000 maximum"
  /> ?([\d,]+) ?(?:tokens? ?)?maximum/,
  // "exceeds the maximum number of tokens allowed (1048576)"
  /maximum number of (?:input )?tokens allowed ?\(?([\d,]+)/,
  // "exceeded model token limit: 131072"
  /(?:model )?token limit[: ]{1,3}(?:is )?([\d,]+)/,
  // "too large for model with 32768 maximum context length"
  /model with ([\d,]+) maximum context/,
  // "context window of 8192 tokens", "context size (4096 tokens)", "context length of only 4096". A bracket after
  // "exceeds limit" is an error code, not a size (MiniMax writes 2013 there), so no other words may stand between.
  /context[_ ](?:window|size|length|limit)(?: (?:size|length|limit))?(?: (?:is|of))?(?: only)?["':=( ]{0,4}([\d,]{4,})/,
  // "range of input length should be [1, 129024]"
  /input length should be \[\d+, ?([\d,]+)\]/,
  /max_model_len["':=( ]{0,6}([\d,]+)/,
  /\bn_ctx["':=( ]{0,6}([\d,]+)/,
  /less than ([\d,]+) tokens/,
  /limit (?:of|is) ([\d,]+) tokens/,
  // Copilot: "prompt token count of 140012 exceeds the limit of 128000"
  /token count of [\d,]+ exceeds the limit of ([\d,]+)/,
  // "`inputs` tokens + `max_new_tokens` must be <= 4096"
  /max_new_tokens` must be <= ([\d,]+)/,
];

/** The context window an overflow message names; undefined when it names only by how much it was exceeded. */
export function contextLimitIn(text: string): number | undefined {
  for (const pattern of windowPatterns) {
    const value = numberIn(pattern.exec(text)?.[1]);
    if (value >= smallestWindow && value <= largestWindow) return value;
  }
  return undefined;
}

/** By how much the window was passed, from a message that says so. */
export function excessIn(text: string): number | undefined {
  // "context window exceeded by 5000 tokens", "reduce the prompt by 312 tokens"
  return positive(numberIn(/\bby ([\d,]+) (?:more )?tokens?/.exec(text)?.[1]));
}

const outputPatterns: readonly RegExp[] = [
  /available[_ ]tokens:? ?([\d,]+)/,
  /available: ?([\d,]+)/,
  // "200000 > 64000, which is the maximum allowed number of output tokens"
  /> ([\d,]+), which is the maximum allowed/,
  // "supports at most 16384 completion tokens", "must be less than or equal to 8192"
  /(?:at most|up to|less than or equal to|must be <=) ?`?([\d,]+)/,
  // "The maximum tokens you requested exceeds the model limit of 4096"
  /exceeds the model limit of ([\d,]+)/,
  // "Range of max_tokens should be [1, 8192]", "the valid range of max_tokens is [1, 8192]"
  /range of max_tokens (?:should be|is) \[\d+, ?([\d,]+)\]/,
  // "supported range is from 1 (inclusive) to 65537 (exclusive)"
  /\(inclusive\) to ([\d,]+)/,
  /maximum (?:allowed )?(?:value|(?:number of )?output)[^\d\n]{0,30}([\d,]+)/,
];

/** Output tokens that would still fit, from a message about the output limit. */
export function availableOutputIn(text: string): number | undefined {
  // "190000 + 32768 > 200000" and "(32000 > 32768 - 2000)": what is left of the window.
  const sum = /([\d,]+) ?\+ ?[\d,]+ ?> ?([\d,]+)/.exec(text);
  const difference = /[\d,]+ ?> ?([\d,]+) ?- ?([\d,]+)\)/.exec(text);
  if (sum !== null) return positive(numberIn(sum[2]) - numberIn(sum[1]));
  if (difference !== null) return positive(numberIn(difference[1]) - numberIn(difference[2]));
  for (const pattern of outputPatterns) {
    const found = positive(numberIn(pattern.exec(text)?.[1]));
    if (found !== undefined) return found;
  }
  return undefined;
}

function numberIn(text: string | undefined): number {
  return text === undefined ? Number.NaN : Number(text.replaceAll(",", ""));
}

function positive(value: number): number | undefined {
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** The parameter a provider refuses, where it names one. */
export function refusedParameterIn(opened: OpenedBody): string | undefined {
  for (const object of opened.objects) {
    const named = object["param"];
    if (typeof named === "string" && /^[a-z_][\w.[\]]{0,80}$/i.test(named)) return named;
    const location = object["loc"];
    const last: unknown = Array.isArray(location) ? location.at(-1) : undefined;
    if (typeof last === "string" && last.length <= 80) return last;
  }
  return parameterInText(opened.text);
}

const knownParameters =
  /\b(temperature|top_p|top_k|max_tokens|max_completion_tokens|tool_choice|reasoning_?effort|reasoning|thinking|stream_options|parallel_tool_calls|store|tool choice|tool use|tools)\b/;

function parameterInText(text: string): string | undefined {
  if (/stream(?:ing)?\b[^.\n]{0,40}(?:not supported|unsupported)|does not support streaming/.test(text))
    return "stream";
  const named =
    /(?:parameter|argument|field|value|name)s?:? ?[`'"\\]{1,2}([a-z_][\w.]{0,80})[`'"\\]/.exec(text) ??
    /[`'"]([a-z_][\w.]{0,80})[`'"](?: \w{1,20}){0,3} (?:not supported|unsupported|not permitted|deprecated)/.exec(
      text,
    ) ??
    knownParameters.exec(text) ??
    /does not support (tools|images?|function)/.exec(text);
  const name = named?.[1];
  return name === "tool choice" ? "tool_choice" : name === "tool use" ? "tools" : name;
}
