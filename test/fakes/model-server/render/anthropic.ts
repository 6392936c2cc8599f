import type { Finish, MessageContent } from "../reply.ts";
import { isObject, type WireObject } from "../wire-object.ts";
import { serviceHeaders } from "./service-headers.ts";
import { type SettledPart, settle, usageOf, type WireUsage } from "./settle.ts";
import { event, type Frame, type RenderContext, streamed, type WireReply, whole } from "./wire-reply.ts";

/** `POST /v1/messages`: named events from `message_start` to `message_stop`, or one message object. */
export function renderAnthropic(message: MessageContent, context: RenderContext): WireReply {
  const parts = settle(message, context);
  const answer: Answer = {
    id: message.options.id ?? context.ids.take("msg_"),
    model: message.options.model ?? context.request.model,
    parts,
    stopReason: stopReasonOf(message, parts),
    usage: usageOf(message, parts, context),
  };
  const headers = serviceHeaders(context);
  if (context.request.stream) return streamed(framesOf(answer), headers);
  return whole(
    200,
    {
      ...envelope(answer),
      content: parts.map(blockOf),
      stop_reason: answer.stopReason,
      stop_sequence: null,
      ...(answer.usage === undefined ? {} : { usage: anthropicUsage(answer.usage, answer.usage.output) }),
    },
    headers,
  );
}

interface Answer {
  readonly id: string;
  readonly model: string;
  readonly parts: readonly SettledPart[];
  readonly stopReason: string | null;
  readonly usage: WireUsage | undefined;
}

function envelope(answer: Answer): WireObject {
  return { id: answer.id, type: "message", role: "assistant", model: answer.model };
}

function framesOf(answer: Answer): readonly Frame[] {
  const start = {
    ...envelope(answer),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(answer.usage === undefined ? {} : { usage: anthropicUsage(answer.usage, 1) }),
  };
  const blocks = answer.parts.flatMap((part, index) => blockFrames(part, index));
  // The service sends its first ping right behind the first block's start.
  if (blocks.length > 0) blocks.splice(1, 0, event("content", { type: "ping" }, "ping"));
  const { usage } = answer;
  return [
    event("content", { type: "message_start", message: start }, "message_start"),
    ...blocks,
    event(
      "finish",
      {
        type: "message_delta",
        delta: { stop_reason: answer.stopReason, stop_sequence: null },
        ...(usage === undefined ? {} : { usage: deltaUsage(usage) }),
      },
      "message_delta",
    ),
    event("done", { type: "message_stop" }, "message_stop"),
  ];
}

function blockFrames(part: SettledPart, index: number): Frame[] {
  const { open, deltas } = blockStream(part);
  return [
    event("content", { type: "content_block_start", index, content_block: open }, "content_block_start"),
    ...deltas.map((delta) => event("content", { type: "content_block_delta", index, delta }, "content_block_delta")),
    event("content", { type: "content_block_stop", index }, "content_block_stop"),
  ];
}

function blockStream(part: SettledPart): { readonly open: WireObject; readonly deltas: readonly WireObject[] } {
  switch (part.kind) {
    case "text":
    case "refusal":
      return { open: { type: "text", text: "" }, deltas: part.pieces.map((text) => ({ type: "text_delta", text })) };
    case "reasoning": {
      if (part.redacted !== "") return { open: { type: "redacted_thinking", data: part.redacted }, deltas: [] };
      const thinking = part.pieces.map((piece) => ({ type: "thinking_delta", thinking: piece }));
      const signed = part.signature === "" ? [] : [{ type: "signature_delta", signature: part.signature }];
      return { open: { type: "thinking", thinking: "", signature: "" }, deltas: [...thinking, ...signed] };
    }
    case "call":
      return {
        open: { type: "tool_use", id: part.id, name: part.name, input: {} },
        deltas: ["", ...part.pieces].map((piece) => ({ type: "input_json_delta", partial_json: piece })),
      };
  }
}

function blockOf(part: SettledPart): WireObject {
  switch (part.kind) {
    case "text":
    case "refusal":
      return { type: "text", text: part.text };
    case "reasoning":
      if (part.redacted !== "") return { type: "redacted_thinking", data: part.redacted };
      return { type: "thinking", thinking: part.text, signature: part.signature };
    case "call":
      return { type: "tool_use", id: part.id, name: part.name, input: inputOf(part.argumentText) };
  }
}

/** Outside a stream the wire can only carry an object; unreadable argument text becomes an empty one. */
function inputOf(argumentText: string): WireObject {
  try {
    const value: unknown = JSON.parse(argumentText);
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function anthropicUsage(usage: WireUsage, outputTokens: number): WireObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite - usage.cacheWrite1h,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: outputTokens,
    service_tier: "standard",
    ...usage.extra,
  };
}

/** The closing usage is cumulative and flat. */
function deltaUsage(usage: WireUsage): WireObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    ...usage.extra,
  };
}

const stopReasons: Readonly<Record<Finish, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
  pause: "pause_turn",
  "stop-sequence": "stop_sequence",
  "context-full": "model_context_window_exceeded",
  failed: "end_turn",
};

function stopReasonOf(message: MessageContent, parts: readonly SettledPart[]): string | null {
  const { rawFinish, finish } = message.options;
  if (rawFinish !== undefined) return rawFinish;
  if (finish !== undefined) return stopReasons[finish];
  if (parts.some((part) => part.kind === "refusal")) return "refusal";
  return parts.some((part) => part.kind === "call") ? "tool_use" : "end_turn";
}
