import type { FailurePreset } from "../reply.ts";
import type { RenderContext } from "./wire-reply.ts";

/** One provider's way of saying that something went wrong. */
export interface FailureText {
  readonly status: number;
  readonly type: string;
  readonly code: string | number | null;
  readonly param?: string | null;
  readonly message: string;
  /** OpenRouter: the upstream provider's own words. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type Speaker = (context: RenderContext) => Readonly<Record<FailurePreset, FailureText>>;

/** The providers' own texts: clients recognise failures by them, so they are quoted, not paraphrased. */
export const openaiTexts: Speaker = (context) => {
  const { model, protocol } = context.request;
  const invalid = (code: string | null, message: string): FailureText => ({
    status: 400,
    type: "invalid_request_error",
    code,
    message,
  });
  const server = (status: number, message: string): FailureText => ({
    status,
    type: "server_error",
    code: null,
    message,
  });
  return {
    "rate-limited": {
      status: 429,
      type: "tokens",
      code: "rate_limit_exceeded",
      message: `Rate limit reached for ${model} in organization org-fake on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200. Please try again in 1.4s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
    },
    overloaded: server(503, "The engine is currently overloaded, please try again later"),
    "context-overflow":
      protocol === "responses"
        ? {
            ...invalid(
              "context_length_exceeded",
              "Your input exceeds the context window of this model. Please adjust your input and try again.",
            ),
            param: "input",
          }
        : {
            ...invalid(
              "context_length_exceeded",
              `This model's maximum context length is ${context.contextWindow} tokens. However, your messages resulted in ${overflowing(context)} tokens. Please reduce the length of the messages.`,
            ),
            param: "messages",
          },
    "bad-key": {
      ...invalid(
        "invalid_api_key",
        "Incorrect API key provided: sk-fake*****************0000. You can find your API key at https://platform.openai.com/account/api-keys.",
      ),
      status: 401,
    },
    "missing-key": {
      ...invalid(
        null,
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      ),
      status: 401,
    },
    "no-credit": {
      status: 429,
      type: "insufficient_quota",
      code: "insufficient_quota",
      message:
        "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
    },
    "model-not-found":
      protocol === "responses"
        ? { ...invalid("model_not_found", `The requested model '${model}' does not exist.`), param: "model" }
        : {
            ...invalid("model_not_found", `The model \`${model}\` does not exist or you do not have access to it.`),
            status: 404,
          },
    "payload-too-large": server(
      413,
      `Maximum content size limit (26214400) exceeded (${context.request.rawBytes.length} bytes read)`,
    ),
    "server-error": server(
      500,
      "The server had an error while processing your request. Sorry about that! You can retry your request, or contact us through our help center at help.openai.com if the error persists.",
    ),
    "policy-blocked": invalid(
      "invalid_prompt",
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting",
    ),
  };
};

export const openrouterTexts: Speaker = (context) => {
  const { model } = context.request;
  const plain = (status: number, message: string): FailureText => ({ status, type: "", code: status, message });
  const upstream = (status: number, raw: string): FailureText => ({
    ...plain(status, "Provider returned error"),
    metadata: { raw, provider_name: "FakeProvider" },
  });
  return {
    "rate-limited": upstream(
      429,
      `${model} is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits: https://openrouter.ai/settings/integrations`,
    ),
    overloaded: upstream(503, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
    "context-overflow": plain(
      400,
      `This endpoint's maximum context length is ${context.contextWindow} tokens. However, you requested about ${overflowing(context)} tokens (${overflowing(context)} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
    ),
    "bad-key": plain(401, "User not found."),
    "missing-key": plain(401, "No auth credentials found"),
    "no-credit": plain(402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits"),
    "model-not-found": plain(400, `${model} is not a valid model ID`),
    "payload-too-large": plain(413, "Request body too large"),
    "server-error": plain(500, "Internal Server Error"),
    "policy-blocked": plain(
      404,
      "No endpoints found matching your data policy (Paid model training). Configure: https://openrouter.ai/settings/privacy",
    ),
  };
};

export const anthropicTexts: Speaker = (context) => {
  const say = (status: number, type: string, message: string): FailureText => ({ status, type, code: null, message });
  return {
    "rate-limited": say(
      429,
      "rate_limit_error",
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.",
    ),
    overloaded: say(529, "overloaded_error", "Overloaded"),
    "context-overflow": say(
      400,
      "invalid_request_error",
      `prompt is too long: ${overflowing(context)} tokens > ${context.contextWindow} maximum`,
    ),
    "bad-key": say(401, "authentication_error", "invalid x-api-key"),
    "missing-key": say(401, "authentication_error", "x-api-key header is required"),
    "no-credit": say(
      400,
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    "model-not-found": say(404, "not_found_error", `model: ${context.request.model}`),
    "payload-too-large": say(413, "request_too_large", "Request exceeds the maximum size"),
    "server-error": say(500, "api_error", "Internal server error"),
    "policy-blocked": say(400, "invalid_request_error", "Output blocked by content filtering policy"),
  };
};

/** A scripted overflow may hit a small prompt; the text must still name a number above the window. */
function overflowing(context: RenderContext): number {
  return Math.max(context.promptTokens, context.contextWindow + 1);
}
