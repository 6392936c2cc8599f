import type { FailureKind } from "./failure.ts";

/**
 * How failures are recognised. Rules are asked in order and the first that matches decides. Every
 * pattern works on lower-cased text; the comment beside it quotes what a provider really writes.
 */
export interface Rule {
  readonly kind: FailureKind;
  /** Statuses this rule is for; undefined means any, also none. */
  readonly statuses?: readonly number[];
  readonly codes?: readonly string[];
  readonly all?: readonly RegExp[];
  readonly any?: readonly RegExp[];
  readonly none?: readonly RegExp[];
}

/** "try again in 20s", "resets at", "per 5 hours": the limit opens again by itself. */
const transient =
  /try again|retry|resets?\b|wait|window|per (?:minute|hour|day|\d+ hours?)|in \d+ ?(?:s|sec|min|hour)|请稍后|稍后重试/;
const usageLimit = /usage limit|limit reached|limit exceeded|exceeded your|quota/;

const contextWords: readonly RegExp[] = [
  // OpenAI: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130022 tokens."
  /maximum context length/,
  // Anthropic: "prompt is too long: 214315 tokens > 200000 maximum"
  /prompt is too long/,
  // OpenAI Responses: "Your input exceeds the context window of this model."
  /exceeds? the (?:model'?s? )?(?:available )?context (?:window|length|size)/,
  /context[_ ]length[_ ]exceeded/,
  // Gemini: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
  /input token count.*exceeds/,
  // Groq: "Please reduce the length of the messages or completion."
  /reduce the length of the (?:messages|prompt|input)/,
  // vLLM: "This model's maximum context length is 4096 tokens"; TGI: "`inputs` must have less than 1024 tokens"
  /max_model_len|must have less than \d+ tokens/,
  // llama.cpp: "the request exceeds the available context size. try increasing the context size"
  /exceeds the available context size|slot context|n_ctx/,
  // Bedrock: "Input is too long for requested model."
  /input is too long/,
  // Mistral: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"
  /too large for model with \d+ maximum/,
  // xAI: "This model's maximum prompt length is 131072 but the request contains 140000 tokens."
  /maximum prompt length/,
  // Kimi: "Your request exceeded model token limit: 131072"
  /exceeded model token limit/,
  /too many (?:input |prompt )?tokens/,
  /context (?:window|length|limit)[^.]{0,40}(?:exceed|too (?:long|large)|full|overflow)/,
  /(?:exceed|over)[^.]{0,40}context (?:window|length|limit)/,
  // Alibaba: "Range of input length should be [1, 129024]"
  /range of input length should be/,
  // MiniMax and Z.AI, in Chinese: "超过最大长度", "上下文长度超限", "输入长度超过限制"
  /(?:上下文|输入|提示词?).{0,8}(?:超过|超出|过长|超限)|超(?:过|出).{0,8}(?:最大|上下文).{0,4}长度/,
];

const imageWords = /image|picture|photo|media|attachment|pdf|file/;
const sizeWords =
  /too large|too big|exceeds?.{0,30}(?:size|dimension|pixel|mb|megabyte|bytes|limit)|maximum (?:file |image )?size|dimensions? exceed/;

const modelWords: readonly RegExp[] = [
  // OpenAI: "The model `gpt-9` does not exist or you do not have access to it."
  /model[^.]{0,80}does not exist/,
  // Anthropic: {"type":"not_found_error","message":"model: claude-9"}
  /^\s*model: |"message"\s*:\s*"model: /,
  // OpenRouter: "No endpoints found for x/y." / "x/y is not a valid model ID"
  /not a valid model|no endpoints found for|invalid model|unknown model|unsupported model/,
  // Ollama: "model \"x\" not found, try pulling it first"
  /model[^.]{0,80}(?:not found|is not (?:available|supported|found))/,
  /no such model|model_not_found|model not exist|模型不存在/,
];

const policyWords: readonly RegExp[] = [
  // OpenRouter: "No endpoints found matching your data policy. Enable prompt training here: …/settings/privacy"
  /no (?:allowed )?(?:endpoints|providers)[^.]{0,60}(?:data policy|guardrail|privacy)/,
  /guardrail restrictions and data policy/,
];

const billingWords: readonly RegExp[] = [
  // OpenAI: "You exceeded your current quota, please check your plan and billing details."
  /exceeded your current quota/,
  // Anthropic: "Your credit balance is too low to access the Anthropic API."
  /credit balance is too low/,
  // OpenRouter: "Insufficient credits. Add more using …" DeepSeek: "Insufficient Balance"
  /insufficient (?:credits?|balance|quota|funds)|not enough credits|out of credits|no credits/,
  /billing (?:hard limit|not active|details)|payment required|payment method|account (?:is )?(?:deactivated|suspended|overdue)|in arrears/,
  // OpenRouter: "Key limit exceeded (total limit)." xAI: "monthly spending limit"
  /key limit exceeded|spending limit|spend limit|requires more credits/,
  /quota (?:has been )?exhausted|余额不足|欠费|额度已用完/,
];

const rateWords: readonly RegExp[] = [
  /rate[_ -]?limit|too many requests|requests? per (?:minute|second|hour|day)|tokens? per (?:minute|day|hour)|\b(?:rpm|tpm|rpd|tpd)\b/,
  // Bedrock: "ThrottlingException: Too many tokens, please wait before trying again." Alibaba: "Requests rate limit exceeded"
  /throttl|rate increased too quickly|resource[_ ]exhausted|concurrency limit|qps/,
  /请求过于频繁|速率限制|并发/,
];

const parameterWords: readonly RegExp[] = [
  // OpenAI: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  /unsupported (?:parameter|value)|unrecognized (?:request )?(?:argument|parameter|field)|unknown (?:parameter|field|argument)/,
  // Mistral and other pydantic servers: "Extra inputs are not permitted"
  /extra inputs are not permitted|extra fields not permitted|additional properties are not allowed/,
  // Anthropic: "temperature: may only be set to 1 when thinking is enabled" / "`temperature` is deprecated for this model"
  /(?:temperature|top_p|top_k|stream|tool_choice|reasoning|thinking|effort)[^.]{0,60}(?:not supported|unsupported|may only be set|deprecated|not allowed|does not support)/,
  /does not support (?:the )?(?:parameter|tools?|streaming|temperature|function)/,
  /streaming (?:is )?not supported|stream(?:ing)? must be/,
];

export const rules: readonly Rule[] = [
  // Anthropic: "messages.1.content.0: Invalid `signature` in `thinking` block"
  { kind: "thinking_signature", statuses: [400], all: [/signature/, /thinking/] },
  // Anthropic: "Extra usage is required for long context requests."
  { kind: "long_context_tier", statuses: [429], all: [/extra usage/, /long context/] },
  { kind: "provider_policy_blocked", statuses: [400, 403, 404], any: policyWords },
  // Anthropic: "input length and `max_tokens` exceed context limit: 190000 + 32768 > 200000, decrease input length or `max_tokens`"
  {
    kind: "output_cap_too_large",
    all: [/max_(?:tokens|output_tokens|completion_tokens)/, /available[_ ]tokens|exceed context limit|available: ?\d+/],
  },
  // OpenAI: "max_tokens is too large: 200000. This model supports at most 16384 completion tokens"
  {
    kind: "output_cap_too_large",
    all: [
      /max_(?:tokens|output_tokens|completion_tokens)/,
      /too large|at most \d+|maximum (?:allowed )?(?:value|number of output tokens|output)/,
    ],
    none: [/unsupported/],
  },
  {
    kind: "media_too_large",
    statuses: [400, 413],
    all: [imageWords, sizeWords],
    none: [/context|entity too large|payload/],
  },
  { kind: "payload_too_large", statuses: [413] },
  { kind: "payload_too_large", any: [/request entity too large|payload too large|error code: 413|request_too_large/] },
  {
    kind: "content_filtered",
    codes: [
      "content_filter",
      "content_policy_violation",
      "responsibleaipolicyviolation",
      "data_inspection_failed",
      "sensitive",
    ],
  },
  // OpenAI: "Your request was rejected as a result of our safety system." Alibaba: "Input data may contain inappropriate content."
  {
    kind: "content_filtered",
    statuses: [400, 403, 422],
    any: [/safety system|content (?:policy|filter|management)|inappropriate content|flagged (?:as|by)|敏感/],
  },
  { kind: "auth", statuses: [401] },
  { kind: "billing", statuses: [403], any: [/key limit exceeded|spending limit|spend limit|credit|quota|billing/] },
  { kind: "rate_limit", statuses: [403], any: [/rate limit exceeded|too many requests/] },
  { kind: "auth", statuses: [403] },
  { kind: "rate_limit", statuses: [402], all: [usageLimit, transient] },
  { kind: "billing", statuses: [402] },
  {
    kind: "billing",
    statuses: [429, 400],
    codes: [
      "insufficient_quota",
      "billing_not_active",
      "payment_required",
      "billing_hard_limit_reached",
      "1113",
      "arrearage",
    ],
  },
  {
    kind: "billing",
    statuses: [429],
    any: [
      /exceeded your current quota/,
      /credit balance is too low/,
      /insufficient (?:credits?|balance|funds)/,
      /余额不足|欠费/,
    ],
    none: [/per (?:minute|day)|free_tier|retry in/],
  },
  { kind: "rate_limit", statuses: [429] },
  { kind: "overloaded", statuses: [503, 529] },
  { kind: "overloaded", codes: ["overloaded_error", "server_overloaded", "engine_overloaded_error", "1305"] },
  {
    kind: "context_overflow",
    codes: ["context_length_exceeded", "max_tokens_exceeded", "string_above_max_length", "exceed_context_size_error"],
  },
  { kind: "context_overflow", statuses: [400, 404, 413, 422, 500], any: contextWords },
  {
    kind: "model_not_found",
    statuses: [400, 404, 410, 422],
    codes: ["model_not_found", "invalid_model", "model_not_exist", "model_not_available"],
  },
  { kind: "model_not_found", statuses: [400, 404, 410, 422, 500], any: modelWords },
  {
    kind: "unsupported_parameter",
    statuses: [400, 404, 422, 500],
    codes: ["unsupported_parameter", "unsupported_value", "unknown_parameter"],
  },
  { kind: "unsupported_parameter", statuses: [400, 404, 422, 500, 501], any: parameterWords },
  { kind: "billing", statuses: [400, 404, 422, 500], any: billingWords },
  { kind: "rate_limit", statuses: [400, 404, 408, 422, 500], any: rateWords },
  {
    kind: "auth",
    statuses: [400, 404, 422],
    any: [
      /invalid (?:api[_ ]?key|token|credentials)|incorrect api key|unauthorized|api key (?:not valid|expired|invalid|not found)|authentication (?:failed|error)|token (?:has )?(?:expired|been revoked)|no auth credentials/,
    ],
  },
  {
    kind: "auth",
    codes: [
      "invalid_api_key",
      "unauthorized",
      "authentication_error",
      "unauthenticated",
      "permission_denied",
      "expiredtokenexception",
      "unrecognizedclientexception",
      "accessdeniedexception",
      "invalidsignatureexception",
    ],
  },
  { kind: "timeout", statuses: [408, 504, 524, 522, 523] },
  { kind: "server_error", statuses: [500, 501, 502, 505, 507, 508, 520, 521, 525, 526, 527, 530] },
  {
    kind: "rate_limit",
    codes: [
      "rate_limit_exceeded",
      "rate_limit_error",
      "resource_exhausted",
      "throttled",
      "throttlingexception",
      "too_many_requests",
      "1302",
      "1303",
    ],
  },
  { kind: "billing", codes: ["insufficient_quota", "billing_not_active", "payment_required", "insufficient_balance"] },
  {
    kind: "server_error",
    codes: [
      "server_error",
      "api_error",
      "internal_error",
      "internal_server_error",
      "internalserverexception",
      "modelstreamerrorexception",
      "serviceunavailableexception",
    ],
  },
  { kind: "timeout", codes: ["timeout_error", "modeltimeoutexception", "deadline_exceeded"] },
  // The same words without a status: errors inside a stream.
  { kind: "context_overflow", statuses: [0], any: contextWords },
  { kind: "billing", statuses: [0], any: billingWords, none: [transient] },
  { kind: "rate_limit", statuses: [0], any: rateWords },
  { kind: "rate_limit", statuses: [0], all: [usageLimit, transient] },
  { kind: "billing", statuses: [0], any: billingWords },
  { kind: "overloaded", statuses: [0], any: [/overloaded|at capacity|no available (?:workers|capacity)|繁忙/] },
  {
    kind: "auth",
    statuses: [0],
    any: [
      /unauthorized|invalid (?:api key|token)|forbidden|access denied|expired token|token (?:has )?expired|revoked/,
    ],
  },
  {
    kind: "server_error",
    statuses: [0],
    any: [
      /internal (?:server )?error|upstream (?:error|connect)|bad gateway|provider returned error|server had an error/,
    ],
  },
];
