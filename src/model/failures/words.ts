/**
 * The words of providers. Every pattern is matched against lower-cased text and is bounded, so that
 * matching takes time linear in the text; the comment beside a pattern quotes what is really written.
 */

/** "try again in 20s", "resets at", "per 5 hours": the limit opens again by itself. */
export const transient =
  /try again|retry|resets?\b|wait|window|per (?:minute|hour|day|\d+ hours?)|in \d+ ?(?:s|sec|min|hour)|请稍后|稍后(?:重试|再试)/;

export const usageLimit = /usage limit|limit (?:reached|exceeded)|exceeded your|quota/;

export const contextWords: readonly RegExp[] = [
  // OpenAI, vLLM: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130022 tokens."
  /maximum context length/,
  // Anthropic: "prompt is too long: 214315 tokens > 200000 maximum"
  /prompt is too long|prompt too long/,
  // OpenAI Responses: "Your input exceeds the context window of this model."
  /exceeds? the (?:model'?s? )?(?:available |maximum )?context (?:window|length|size)/,
  /context[_ ]length[_ ]exceeded/,
  // Gemini: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
  /input token count[^\n]{0,80}exceeds/,
  // Groq: "Please reduce the length of the messages or completion."
  /reduce the length of the (?:messages|prompt|input)/,
  // TGI: "`inputs` must have less than 1024 tokens"; `inputs tokens + max_new_tokens` must be <= 4096
  /max_model_len|must have less than \d+ tokens|inputs` tokens \+ `max_new_tokens` must be/,
  // llama.cpp: "the request exceeds the available context size. try increasing the context size"
  /exceeds the available context size|slot context|\bn_ctx\b/,
  // LM Studio: "Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"
  /context the overflows|loaded with context length of only/,
  // Bedrock: "Input is too long for requested model."
  /input is too long|input length is too long|too many input tokens/,
  // Mistral: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"
  /too large for model with \d+ maximum/,
  // xAI: "This model's maximum prompt length is 131072 but the request contains 140000 tokens."
  /maximum prompt length/,
  // Kimi: "Your request exceeded model token limit: 131072"
  /exceeded model token limit/,
  /too many (?:input |prompt )?tokens(?!.{0,20}(?:wait|per (?:minute|day)))/,
  // MiniMax: "invalid params, context window exceeds limit (2013)"
  /context (?:window|length|limit|size)[^.\n]{0,40}(?:exceed|too (?:long|large)|full|overflow)/,
  /(?:exceed|over)[^.\n]{0,40}context (?:window|length|limit|size)/,
  // Alibaba: "Range of input length should be [1, 129024]"
  /range of input length should be/,
  // Z.AI: "Prompt exceeds max length"
  /prompt exceeds max(?:imum)? length/,
  // MiniMax and Z.AI, in Chinese: "超过最大长度", "上下文长度超限", "输入长度超过限制"
  /(?:上下文|输入|提示词?|prompt).{0,8}(?:超过|超出|过长|超限|超长)|超(?:过|出).{0,8}(?:最大|上下文).{0,4}长度/,
];

/** Words about the size of an image or file, as opposed to the size of the conversation. */
export const mediaNouns = /image|picture|photo|media|attachment|\bpdf|\bfile\b/;
export const mediaSize =
  /too large|too big|exceeds?.{0,30}(?:size|dimension|pixel|mb|megabyte|bytes|limit)|maximum (?:file |image )?size|dimensions? exceed/;

export const modelWords: readonly RegExp[] = [
  // OpenAI: "The model `gpt-9` does not exist or you do not have access to it." DeepSeek: "Model Not Exist"
  /model[^.\n]{0,80}does not exist|model not exist/,
  // Anthropic: {"type":"not_found_error","message":"model: claude-9"}
  /^\s*model: |\nmodel: |"message"\s*:\s*"model: /,
  // OpenRouter: "No endpoints found for x/y." / "x/y is not a valid model ID"
  /not a valid model|no endpoints found for|invalid model|unknown model|unsupported model|no such model/,
  // Ollama: "model \"x\" not found, try pulling it first"; HF: "The requested model 'x' is not supported by any provider you have enabled."
  /model[^.\n]{0,80}(?:not found|is not (?:available|supported|found)|has been (?:deprecated|retired|decommissioned))/,
  // Gemini: "models/gemini-9 is not found for API version v1beta"
  /models\/\S{1,80} is not (?:found|supported)/,
  // Bedrock: "The provided model identifier is invalid." Azure: "The API deployment for this resource does not exist."
  /model identifier is invalid|deployment for this resource does not exist/,
  // Copilot: "The requested model is not supported."
  /requested model is not/,
  /model_not_found|模型不存在|模型.{0,10}不存在/,
];

export const policyWords: readonly RegExp[] = [
  // OpenRouter: "No endpoints found matching your data policy. Enable prompt training here: …/settings/privacy"
  /no (?:allowed )?(?:endpoints|providers)[^.\n]{0,60}(?:data policy|guardrail|privacy)/,
  /guardrail restrictions and data policy/,
];

export const billingWords: readonly RegExp[] = [
  // OpenAI: "You exceeded your current quota, please check your plan and billing details."
  /exceeded your current quota/,
  // Anthropic: "Your credit balance is too low to access the Anthropic API."
  /credit balance is too low/,
  // OpenRouter: "Insufficient credits. Add more using …" DeepSeek: "Insufficient Balance" MiniMax: "insufficient balance (1008)"
  /insufficient[_ ](?:credits?|balance|quota|funds)|not enough credits|out of credits|no credits|used all available credits/,
  // OpenAI: "Billing hard limit has been reached" Kimi: "Your account is suspended, please check your plan and billing details"
  /billing (?:hard limit|not active|details)|payment required|payment method|account[^.\n]{0,60}(?:deactivated|suspended|overdue)/,
  // Alibaba: "Access denied, please make sure your account is in good standing." code Arrearage
  /in arrears|arrearage|account is in good standing/,
  // OpenRouter: "Key limit exceeded (total limit)." "This request requires more credits, or fewer max_tokens." xAI: "monthly spending limit"
  /key limit exceeded|spending limit|spend limit|requires more credits|exceeded your monthly included credits/,
  // Alibaba: "Free allocated quota exceeded." "The free tier of the model has been exhausted."
  /quota (?:has been )?exhausted|free allocated quota exceeded|free tier of the model has been exhausted/,
  /余额不足|欠费|额度已用完|无可用资源包/,
];

export const rateWords: readonly RegExp[] = [
  /rate[_ -]?limit|too many requests|requests? per (?:minute|second|hour|day)|tokens? per (?:minute|day|hour)|\b(?:rpm|tpm|rpd|tpd)\b/,
  // Bedrock: "Too many tokens, please wait before trying again." Alibaba: "Requests rate limit exceeded"
  /throttl|rate increased too quickly|resource[_ ]exhausted|concurrency limit|\bqps\b|too many tokens, please wait/,
  // Codex: "You've hit your usage limit. Upgrade to Pro or try again in 5 days 3 hours." has no status inside a stream
  /hit your usage limit|usage[_ ]limit[_ ]reached/,
  /请求过于频繁|速率限制|并发|频率/,
];

export const parameterWords: readonly RegExp[] = [
  // OpenAI: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  /unsupported (?:parameter|value)|unrecognized (?:request )?(?:argument|parameter|field)|unknown (?:parameter|field|argument|name)/,
  // Mistral and other pydantic servers: "Extra inputs are not permitted"
  /extra inputs are not permitted|extra fields not permitted|additional properties are not allowed/,
  // Anthropic: "temperature: may only be set to 1 when thinking is enabled" / "`temperature` is deprecated for this model"
  /(?:temperature|top_p|top_k|stream|tool_choice|reasoning|thinking|effort|tool use|function calling)[^.\n]{0,60}(?:not supported|unsupported|may only be set|deprecated|not allowed|does(?: not|n't) support)/,
  // Ollama: "registry.ollama.ai/library/gemma:2b does not support tools"; xAI: "Model grok-4 does not support parameter reasoningEffort."
  /does(?: not|n't) support (?:the )?(?:parameter|tools?|streaming|temperature|function|thinking|image|system)/,
  // Kimi: "invalid temperature: only 1 is allowed for this model"
  /invalid (?:temperature|top_p|reasoning_effort)|only \S{1,8} is allowed for this model/,
  // vLLM: "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"; OpenRouter: "No endpoints found that support tool use"
  /tool choice requires|no endpoints found that support/,
  /streaming (?:is )?not supported|stream(?:ing)? must be/,
];

/** Refusals of what was asked, not of how. */
export const contentWords: readonly RegExp[] = [
  // OpenAI: "Your request was rejected as a result of our safety system." Azure: "… triggering Azure OpenAI's content management policy."
  /safety system|content (?:policy|filter|management)|content_filter/,
  // Alibaba: "Input data may contain inappropriate content." OpenRouter: "… requires moderation … flagged for …"
  /inappropriate content|flagged (?:as|by|for)|content exists risk|usage guidelines/,
  /敏感|违规|不安全/,
];

export const authWords: readonly RegExp[] = [
  /invalid (?:api[_ ]?key|(?:access |bearer )?token|credentials|authentication)|incorrect api key|unauthorized|api key (?:not valid|expired|invalid|not found)/,
  /authentication (?:failed|error|fails)|token (?:has )?(?:expired|been revoked|is expired)|no auth credentials|expired token|revoked/,
  // Bedrock: "The security token included in the request is invalid." / "is expired"
  /security token included in the request is/,
];

export const overloadWords = /overloaded|at capacity|no available (?:workers|capacity)|too busy|繁忙/;
