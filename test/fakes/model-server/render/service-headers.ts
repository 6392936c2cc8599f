import type { RenderContext } from "./wire-reply.ts";

/** What a provider sends with every answer: a request id and the state of the rate limits. */
export function serviceHeaders(context: RenderContext): Readonly<Record<string, string>> {
  const { request, dialect, requestId } = context;
  if (request.protocol === "anthropic") return anthropicHeaders(requestId, context.nowMs);
  if (request.protocol === "chat" && dialect === "openrouter") return { "x-request-id": requestId };
  return {
    "x-request-id": requestId,
    "openai-version": "2020-10-01",
    "openai-processing-ms": "1",
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-limit-tokens": "2000000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-remaining-tokens": "1999000",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-reset-tokens": "30ms",
  };
}

function anthropicHeaders(requestId: string, nowMs: number): Readonly<Record<string, string>> {
  const reset = `${new Date(nowMs + 60_000).toISOString().slice(0, 19)}Z`;
  return {
    "request-id": requestId,
    "anthropic-organization-id": "00000000-0000-4000-8000-000000000001",
    "anthropic-ratelimit-requests-limit": "4000",
    "anthropic-ratelimit-requests-remaining": "3999",
    "anthropic-ratelimit-requests-reset": reset,
    "anthropic-ratelimit-tokens-limit": "480000",
    "anthropic-ratelimit-tokens-remaining": "479000",
    "anthropic-ratelimit-tokens-reset": reset,
  };
}
