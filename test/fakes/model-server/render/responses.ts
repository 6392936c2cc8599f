import type { MessageContent } from "../reply.ts";
import { listAt, objectAt, type WireObject } from "../wire-object.ts";
import { type ItemOptions, itemEvents, itemOf } from "./responses-items.ts";
import { serviceHeaders } from "./service-headers.ts";
import { type SettledPart, settle, usageOf, type WireUsage } from "./settle.ts";
import { event, type Frame, type RenderContext, streamed, type WireReply, whole } from "./wire-reply.ts";

/** `POST /v1/responses`: numbered events ended by `response.completed` (or its unhappy kin), or one response. */
export function renderResponses(message: MessageContent, context: RenderContext): WireReply {
  const parts = settle(message, context);
  const ending = endingOf(message);
  const response = skeletonOf(message, context);
  const itemOptions = (outputIndex: number): ItemOptions => ({
    outputIndex,
    withEncrypted: listAt(context.request.body.include).includes("reasoning.encrypted_content"),
    status: ending.status === "incomplete" && outputIndex === parts.length - 1 ? "incomplete" : "completed",
  });
  const output = parts.map((part, index) => itemOf(part, itemOptions(index)));
  const final: WireObject = {
    ...response,
    status: ending.status,
    error: ending.error,
    incomplete_details: ending.details,
    output: message.options.emptyFinalOutput === true ? [] : output,
    usage: responsesUsage(usageOf(message, parts, context)),
  };
  const headers = serviceHeaders(context);
  if (!context.request.stream) return whole(200, final, headers);
  return streamed(framesOf({ response, final, parts, itemOptions }), headers);
}

interface Stream {
  readonly response: WireObject;
  readonly final: WireObject;
  readonly parts: readonly SettledPart[];
  readonly itemOptions: (outputIndex: number) => ItemOptions;
}

function framesOf({ response, final, parts, itemOptions }: Stream): readonly Frame[] {
  const events = [
    ["response.created", { response }] as const,
    ["response.in_progress", { response }] as const,
    ...parts.flatMap((part, index) => itemEvents(part, itemOptions(index))),
  ];
  const frames = events.map(([type, fields], at) => event("content", { type, sequence_number: at, ...fields }, type));
  const last = `response.${String(final.status)}`;
  return [...frames, event("done", { type: last, sequence_number: frames.length, response: final }, last)];
}

function skeletonOf(message: MessageContent, context: RenderContext): WireObject {
  const { body, model } = context.request;
  return {
    id: message.options.id ?? context.ids.take("resp_"),
    object: "response",
    created_at: Math.floor(context.nowMs / 1000),
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: message.options.model ?? model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: objectAt(body.reasoning).effort ?? null, summary: objectAt(body.reasoning).summary ?? null },
    service_tier: body.service_tier ?? "auto",
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? "disabled",
    usage: null,
    user: null,
    metadata: body.metadata ?? {},
  };
}

function responsesUsage(usage: WireUsage | undefined): WireObject | null {
  if (usage === undefined) return null;
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      ...(usage.cacheWrite === 0 ? {} : { cache_creation_tokens: usage.cacheWrite }),
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
    ...usage.extra,
  };
}

interface Ending {
  readonly status: string;
  readonly details: WireObject | null;
  readonly error: WireObject | null;
}

function endingOf(message: MessageContent): Ending {
  const { finish, rawFinish } = message.options;
  const plain = { details: null, error: null };
  if (typeof rawFinish === "string") return { ...plain, status: rawFinish };
  switch (finish) {
    case "length":
    case "pause":
    case "context-full":
      return { ...plain, status: "incomplete", details: { reason: "max_output_tokens" } };
    case "content_filter":
      return { ...plain, status: "incomplete", details: { reason: "content_filter" } };
    case "failed":
      return {
        ...plain,
        status: "failed",
        error: { code: "server_error", message: "An error occurred while processing your request." },
      };
    case "stop":
    case "tool_calls":
    case "stop-sequence":
    case undefined:
      return { ...plain, status: "completed" };
  }
}
