import { promptTokens, type TurnResult, totalTokens } from "#conversation";

/** Tokens as chat completions name them. */
export function chatUsage({ usage }: TurnResult) {
  return {
    prompt_tokens: promptTokens(usage),
    completion_tokens: usage.output,
    total_tokens: totalTokens(usage),
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

/** Tokens as responses name them. */
export function responseUsage({ usage }: TurnResult) {
  return {
    input_tokens: promptTokens(usage),
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: totalTokens(usage),
  };
}
