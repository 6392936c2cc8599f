import type { FailureContent } from "../reply.ts";
import { anthropicTexts, type FailureText, openaiTexts, openrouterTexts } from "./failure-texts.ts";
import { serviceHeaders } from "./service-headers.ts";
import { event, type Frame, type RenderContext, type WireReply, whole } from "./wire-reply.ts";

/** A failure as the answer to the whole request. */
export function renderFailure(failure: FailureContent, context: RenderContext): WireReply {
  const text = textOf(failure, context);
  const headers = { ...serviceHeaders(context), ...waitHeaders(failure, context), ...failure.headers };
  return whole(text.status, failure.body ?? bodyOf(text, context), headers);
}

/** A failure as the last events of a stream that had begun. */
export function failureFrames(failure: FailureContent, context: RenderContext, before: number): readonly Frame[] {
  const text = textOf(failure, context);
  const { protocol } = context.request;
  if (protocol === "anthropic") return [event("content", failure.body ?? bodyOf(text, context), "error")];
  if (protocol === "chat") {
    const body = failure.body ?? bodyOf(text, context);
    return [event("content", body), { kind: "event", phase: "done", data: "[DONE]" }];
  }
  const code = text.code ?? text.type;
  const response = { object: "response", status: "failed", error: { code, message: text.message }, output: [] };
  return [
    event(
      "content",
      failure.body ?? {
        type: "error",
        sequence_number: before,
        code,
        message: text.message,
        param: text.param ?? null,
      },
      "error",
    ),
    event("done", { type: "response.failed", sequence_number: before + 1, response }, "response.failed"),
  ];
}

function textOf(failure: FailureContent, context: RenderContext): FailureText {
  const known = failure.preset === undefined ? undefined : presetTexts(context)[failure.preset];
  const status = failure.status ?? known?.status ?? 500;
  const base = known ?? {
    status,
    type: typeOf(status, context),
    code: isOpenRouter(context) ? status : null,
    message: `Request failed with status ${status}`,
  };
  return {
    ...base,
    status,
    ...(failure.type === undefined ? {} : { type: failure.type }),
    ...(failure.code === undefined ? {} : { code: failure.code }),
    ...(failure.param === undefined ? {} : { param: failure.param }),
    ...(failure.message === undefined ? {} : { message: failure.message }),
  };
}

function presetTexts(context: RenderContext): ReturnType<typeof openaiTexts> {
  if (context.request.protocol === "anthropic") return anthropicTexts(context);
  return isOpenRouter(context) ? openrouterTexts(context) : openaiTexts(context);
}

function bodyOf(text: FailureText, context: RenderContext): unknown {
  const { type, message, code } = text;
  if (context.request.protocol === "anthropic")
    return { type: "error", error: { type, message }, request_id: context.requestId };
  if (isOpenRouter(context))
    return {
      error: { message, code, ...(text.metadata === undefined ? {} : { metadata: text.metadata }) },
      user_id: "user_fake",
    };
  return { error: { message, type, param: text.param ?? null, code } };
}

function isOpenRouter(context: RenderContext): boolean {
  return context.request.protocol === "chat" && context.dialect === "openrouter";
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function typeOf(status: number, context: RenderContext): string {
  if (context.request.protocol === "anthropic")
    return anthropicTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  if (status === 429) return "requests";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** Whole seconds for everybody, milliseconds too where the provider sends them. */
function waitHeaders(failure: FailureContent, context: RenderContext): Readonly<Record<string, string>> {
  if (failure.retryAfterMs === undefined) return {};
  const seconds = { "retry-after": String(Math.ceil(failure.retryAfterMs / 1000)) };
  const isOpenAi = context.request.protocol !== "anthropic" && !isOpenRouter(context);
  return isOpenAi ? { ...seconds, "retry-after-ms": String(failure.retryAfterMs) } : seconds;
}
