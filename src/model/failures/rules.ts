import type { Rule } from "./rule.ts";
import {
  authWords,
  billingWords,
  contentWords,
  contextWords,
  mediaNouns,
  mediaSize,
  modelWords,
  overloadWords,
  parameterWords,
  policyWords,
  rateWords,
  transient,
  usageLimit,
} from "./words.ts";

const outputLimitNames = /max_(?:tokens|output_tokens|completion_tokens|new_tokens)|maxoutputtokens|maxtokens/;
const clientErrors = [400, 404, 422];
const clientErrorsAnd500 = [400, 404, 422, 500];

/**
 * How failures are recognised: asked in order, the first that matches decides. The order is special
 * cases, status, codes, words, and last the words of errors that came without a status.
 */
const special: readonly Rule[] = [
  // Anthropic: "messages.1.content.0: Invalid `signature` in `thinking` block"
  { kind: "thinking_signature", statuses: [400], all: [/signature/, /thinking/] },
  // Anthropic: "Extra usage is required for long context requests."
  { kind: "long_context_tier", statuses: [429], all: [/extra usage/, /long context/] },
  { kind: "provider_policy_blocked", statuses: [400, 403, 404], any: policyWords },
  // Anthropic: "input length and `max_tokens` exceed context limit: 190000 + 32768 > 200000, decrease input length or `max_tokens`"
  {
    kind: "output_cap_too_large",
    statuses: [400, 422, 0],
    all: [outputLimitNames, /available[_ ]tokens|exceed context limit|available: ?\d/],
  },
  // OpenAI: "max_tokens is too large: 200000. This model supports at most 16384 completion tokens"
  // vLLM: "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 2000 input tokens"
  // Bedrock: "The maximum tokens you requested exceeds the model limit of 4096." Alibaba: "Range of max_tokens should be [1, 8192]"
  {
    kind: "output_cap_too_large",
    statuses: [400, 422, 0],
    all: [
      /max_(?:tokens|output_tokens|completion_tokens|new_tokens)|maxoutputtokens|maxtokens|maximum tokens you requested/,
      /too large|at most \d|maximum (?:allowed )?(?:value|number of output tokens|output)|maximum allowed number|exceeds the model limit|range of max_tokens|less than or equal to|valid range|must be <=/,
    ],
    none: [/unsupported|inputs` tokens/],
  },
  {
    kind: "media_too_large",
    statuses: [400, 413],
    all: [mediaNouns, mediaSize],
    none: [/context|entity too large|payload|<html|tokens per/],
  },
];

const byStatus: readonly Rule[] = [
  { kind: "payload_too_large", statuses: [413] },
  { kind: "payload_too_large", any: [/request entity too large|payload too large|error code: 413|request_too_large/] },
  { kind: "auth", statuses: [401], none: [/insufficient[_ ](?:balance|credits)|no credits/] },
  { kind: "billing", statuses: [401] },
  {
    kind: "billing",
    statuses: [403],
    any: [
      /key limit exceeded|spending limit|spend limit|insufficient[_ ](?:credits?|balance|quota)|credit balance|used all available credits/,
      /free tier of the model has been exhausted|free allocated quota|arrear|余额不足|欠费/,
    ],
  },
  { kind: "rate_limit", statuses: [403], any: [/rate limit exceeded|too many requests|secondary rate limit/] },
  { kind: "content_filtered", statuses: [403], any: contentWords },
  { kind: "auth", statuses: [403] },
  { kind: "rate_limit", statuses: [402], all: [usageLimit, transient], none: [/insufficient|requires more credits/] },
  { kind: "billing", statuses: [402] },
  {
    kind: "billing",
    statuses: [429],
    codes: ["insufficient_quota", "billing_not_active", "payment_required", "billing_hard_limit_reached"],
  },
  // Z.AI 1113, Kimi exceeded_current_quota_error, Alibaba arrearage: the account has no money, under status 429.
  { kind: "billing", statuses: [429], codes: ["1113", "exceeded_current_quota_error", "arrearage"] },
  {
    kind: "billing",
    statuses: [429],
    any: billingWords,
    // Gemini says "exceeded your current quota" for limits per minute as well.
    none: [/per (?:minute|day)|perday|perminute|free_tier|retry in/],
  },
  { kind: "overloaded", statuses: [429], codes: ["engine_overloaded_error", "1305"] },
  { kind: "rate_limit", statuses: [429] },
  { kind: "overloaded", statuses: [503, 529] },
];

const byCode: readonly Rule[] = [
  {
    kind: "overloaded",
    codes: ["overloaded_error", "server_overloaded", "engine_overloaded_error", "1305", "overloaded"],
  },
  { kind: "context_overflow", codes: ["context_length_exceeded", "max_tokens_exceeded", "string_above_max_length"] },
  { kind: "context_overflow", codes: ["exceed_context_size_error", "1261"] },
  {
    kind: "content_filtered",
    codes: ["content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed"],
  },
  // MiniMax 1026/1027 and Z.AI 1301 are their codes for sensitive input or output.
  { kind: "content_filtered", codes: ["datainspectionfailed", "sensitive", "1026", "1027", "1301", "blocked_prompt"] },
  { kind: "model_not_found", codes: ["model_not_found", "invalid_model", "model_not_exist", "model_not_available"] },
  { kind: "model_not_found", codes: ["deploymentnotfound", "model_not_supported", "1211", "modelnotfound"] },
  { kind: "unsupported_parameter", codes: ["unsupported_parameter", "unsupported_value", "unknown_parameter"] },
  {
    kind: "billing",
    codes: [
      "insufficient_quota",
      "billing_not_active",
      "payment_required",
      "insufficient_balance",
      "arrearage",
      "1113",
    ],
  },
  {
    kind: "billing",
    codes: ["billing_hard_limit_reached", "billing_error", "account_deactivated", "budget_exceeded", "1008"],
  },
  {
    kind: "rate_limit",
    codes: ["rate_limit_exceeded", "rate_limit_error", "resource_exhausted", "throttled", "throttling", "1302", "1303"],
  },
  { kind: "rate_limit", codes: ["throttlingexception", "too_many_requests", "usage_limit_reached", "1002", "429"] },
  {
    kind: "auth",
    codes: ["invalid_api_key", "unauthorized", "authentication_error", "unauthenticated", "permission_denied", "1004"],
  },
  { kind: "auth", codes: ["expiredtokenexception", "unrecognizedclientexception", "accessdeniedexception"] },
  { kind: "auth", codes: ["invalidsignatureexception", "permission_error", "token_expired", "2049"] },
  { kind: "invalid_response", codes: ["malformed", "malformed_frame", "malformed_response", "bad_framing"] },
];

const byWords: readonly Rule[] = [
  { kind: "content_filtered", statuses: clientErrors, any: contentWords },
  { kind: "context_overflow", statuses: [400, 404, 413, 422, 500], any: contextWords },
  { kind: "model_not_found", statuses: [400, 404, 410, 422, 500], any: modelWords },
  { kind: "unsupported_parameter", statuses: [400, 404, 405, 422, 500, 501], any: parameterWords },
  { kind: "billing", statuses: clientErrorsAnd500, any: billingWords },
  { kind: "rate_limit", statuses: [...clientErrorsAnd500, 408], any: rateWords },
  { kind: "auth", statuses: clientErrors, any: authWords },
  { kind: "overloaded", statuses: [500, 502], any: [overloadWords] },
  { kind: "timeout", statuses: [408, 504, 522, 523, 524] },
];

/** The same words without a status: errors inside a stream, and errors of other programs. */
const withoutStatus: readonly Rule[] = [
  { kind: "thinking_signature", statuses: [0], all: [/signature/, /thinking/, /invalid/] },
  { kind: "context_overflow", statuses: [0], any: contextWords },
  { kind: "rate_limit", statuses: [0], all: [usageLimit, transient] },
  { kind: "billing", statuses: [0], any: billingWords },
  { kind: "rate_limit", statuses: [0], any: rateWords },
  { kind: "overloaded", statuses: [0], any: [overloadWords] },
  { kind: "content_filtered", statuses: [0], any: contentWords },
  { kind: "model_not_found", statuses: [0], any: modelWords },
  { kind: "auth", statuses: [0], any: [...authWords, /forbidden|access denied|permission denied/] },
  { kind: "timeout", statuses: [0], codes: ["timeout_error", "modeltimeoutexception", "deadline_exceeded", "timeout"] },
  {
    kind: "server_error",
    statuses: [0],
    codes: ["server_error", "api_error", "internal_error", "internal_server_error", "internal"],
  },
  {
    kind: "server_error",
    statuses: [0],
    codes: ["internalserverexception", "modelstreamerrorexception", "1000", "1234"],
  },
  { kind: "overloaded", statuses: [0], codes: ["serviceunavailableexception", "unavailable"] },
  {
    kind: "server_error",
    statuses: [0],
    any: [
      /internal (?:server )?error|upstream (?:error|connect)|bad gateway|provider returned error|server had an error/,
    ],
  },
  // Our own words for an answer of the wrong shape; last, because such an answer may still say what is wrong.
  { kind: "invalid_response", statuses: [0], any: [/^the answer holds no |\nthe answer holds no /] },
];

export const rules: readonly Rule[] = [...special, ...byStatus, ...byCode, ...byWords, ...withoutStatus];
