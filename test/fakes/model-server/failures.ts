import type { FailureOptions, FailurePreset, Reply } from "./reply.ts";

/** An HTTP error in the provider's own error body. */
export function fails(status: number, options: FailureOptions = {}): Reply {
  return { content: { kind: "failure", status, ...options }, delivery: {} };
}

/** 429 with the provider's wording, limits in the headers and, when given, how long to wait. */
export const rateLimited = preset("rate-limited");
/** 529 on the Anthropic wire, 503 elsewhere. */
export const overloaded = preset("overloaded");
/** The prompt is larger than the window; 400 with the provider's wording. */
export const contextOverflow = preset("context-overflow");
/** 401: the key is wrong. */
export const badKey = preset("bad-key");
/** The account has no money left: 400, 402 or 429, as the provider does it. */
export const noCredit = preset("no-credit");
/** The model does not exist or is not open to this account. */
export const modelNotFound = preset("model-not-found");
/** 413. */
export const payloadTooLarge = preset("payload-too-large");
/** 500. */
export const serverError = preset("server-error");
/** Refused for policy, before the model saw it. */
export const policyBlocked = preset("policy-blocked");

function preset(name: FailurePreset): (options?: FailureOptions & { readonly status?: number }) => Reply {
  return (options = {}) => ({ content: { kind: "failure", preset: name, ...options }, delivery: {} });
}
