import type { Finish, MessageContent } from "../reply.ts";
import { objectAt, type WireObject } from "../wire-object.ts";
import { serviceHeaders } from "./service-headers.ts";
import {
  type SettledCall,
  type SettledPart,
  type SettledReasoning,
  type SettledText,
  settle,
  usageOf,
  type WireUsage,
} from "./settle.ts";
import { event, type Frame, type RenderContext, streamed, type WireReply, whole } from "./wire-reply.ts";

/** `POST /v1/chat/completions`: chunks of `chat.completion.chunk` ended by `[DONE]`, or one `chat.completion`. */
export function renderChat(message: MessageContent, context: RenderContext): WireReply {
  const parts = settle(message, context);
  const usage = usageOf(message, parts, context);
  const envelope = {
    id: message.options.id ?? context.ids.take(context.dialect === "openrouter" ? "gen-" : "chatcmpl-"),
    created: Math.floor(context.nowMs / 1000),
    model: message.options.model ?? context.request.model,
  };
  const finish = finishOf(message, parts);
  const headers = serviceHeaders(context);
  if (!context.request.stream) {
    const body = wholeBody({ envelope, parts, finish, usage });
    return whole(200, body, headers);
  }
  const wantsUsage = objectAt(context.request.body.stream_options).include_usage === true;
  return streamed(chunks({ envelope, parts, finish, usage: wantsUsage ? usage : undefined }, wantsUsage), headers);
}

interface Answer {
  readonly envelope: { readonly id: string; readonly created: number; readonly model: string };
  readonly parts: readonly SettledPart[];
  readonly finish: string | null;
  readonly usage: WireUsage | undefined;
}

const trailer = { service_tier: "default", system_fingerprint: "fp_fa4e000001" };

function chunks(answer: Answer, wantsUsage: boolean): readonly Frame[] {
  const { id, created, model } = answer.envelope;
  const head = { id, object: "chat.completion.chunk", created, model, ...trailer };
  const silent = wantsUsage ? { usage: null } : {};
  const chunk = (delta: WireObject, finish: string | null): WireObject => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...silent,
  });
  const frames = deltasOf(answer.parts).map((delta) => event("content", chunk(delta, null)));
  frames.push(event("finish", chunk({}, answer.finish)));
  if (answer.usage !== undefined)
    frames.push(event("finish", { ...head, choices: [], usage: chatUsage(answer.usage) }));
  return [...frames, { kind: "event", phase: "done", data: "[DONE]" }];
}

/** The first delta carries the role; when the answer opens with a call, the call rides in it. */
function deltasOf(parts: readonly SettledPart[]): readonly WireObject[] {
  const [first, ...rest] = parts.flatMap((part, index) => partDeltas(part, index, parts));
  const opensWithCall = parts[0]?.kind === "call";
  const role = { role: "assistant", content: opensWithCall ? null : "", refusal: null };
  if (first === undefined) return [role];
  return opensWithCall ? [{ ...role, ...first }, ...rest] : [role, first, ...rest];
}

function partDeltas(part: SettledPart, at: number, parts: readonly SettledPart[]): readonly WireObject[] {
  switch (part.kind) {
    case "text":
      return part.pieces.map((piece) => ({ content: part.isList ? [{ type: "text", text: piece }] : piece }));
    case "refusal":
      return part.pieces.map((piece) => ({ refusal: piece }));
    case "reasoning":
      return reasoningDeltas(part, parts.slice(0, at).filter((other) => other.kind === "reasoning").length);
    case "call":
      return callDeltas(part);
  }
}

function reasoningDeltas(part: SettledReasoning, index: number): readonly WireObject[] {
  switch (part.field) {
    case "reasoning_content":
      return part.pieces.map((piece) => ({ content: null, reasoning_content: piece }));
    case "reasoning":
      return part.pieces.map((piece) => ({ content: "", reasoning: piece }));
    case "think-tag":
      return ["<think>", ...part.pieces, "</think>"].map((piece) => ({ content: piece }));
    case "reasoning_details":
      return detailsOf(part, { index, pieces: part.pieces }).map((detail) => ({
        content: "",
        ...(typeof detail.text === "string" ? { reasoning: detail.text } : {}),
        reasoning_details: [detail],
      }));
  }
}

function callDeltas(call: SettledCall): readonly WireObject[] {
  const { index, id, name } = call;
  const named = {
    ...(id === "" ? {} : { id }),
    type: "function",
    ...(call.extraContent === undefined ? {} : { extra_content: call.extraContent }),
  };
  const opening = (args: string): WireObject => ({
    tool_calls: [{ index, ...named, function: { name, arguments: args } }],
  });
  if (call.style === "whole") return [opening(call.argumentText)];
  if (call.style === "repeated-name") return ["", ...call.pieces].map(opening);
  const following = call.pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] }));
  return [opening(""), ...following];
}

/** OpenRouter's signed or encrypted blocks; streamed in pieces, the signature in the last one. */
function detailsOf(
  part: SettledReasoning,
  options: { readonly index: number; readonly pieces: readonly string[] },
): readonly WireObject[] {
  const { index } = options;
  if (part.redacted !== "" || part.text === "") {
    const data = part.redacted === "" ? part.encrypted : part.redacted;
    return [{ type: "reasoning.encrypted", data, id: part.itemId, format: "openai-responses-v1", index }];
  }
  const common = { type: "reasoning.text", format: "anthropic-claude-v1", index };
  const texts = options.pieces.map((text) => ({ ...common, text }));
  return part.signature === "" ? texts : [...texts, { ...common, signature: part.signature }];
}

function wholeBody({ envelope, parts, finish, usage }: Answer): WireObject {
  return {
    id: envelope.id,
    object: "chat.completion",
    created: envelope.created,
    model: envelope.model,
    choices: [{ index: 0, message: wholeMessage(parts), logprobs: null, finish_reason: finish }],
    ...(usage === undefined ? {} : { usage: chatUsage(usage) }),
    ...trailer,
  };
}

function wholeMessage(parts: readonly SettledPart[]): WireObject {
  const reasoning = parts.filter((part) => part.kind === "reasoning");
  const calls = parts.filter((part) => part.kind === "call");
  const texts = parts.filter((part): part is SettledText => part.kind === "text");
  const refusal = parts.find((part): part is SettledText => part.kind === "refusal");
  const tagged = reasoning.filter((part) => part.field === "think-tag").map((part) => `<think>${part.text}</think>`);
  const text = [...tagged, ...texts.map((part) => part.text)].join("");
  const isList = texts.some((part) => part.isList);
  return {
    role: "assistant",
    content: text === "" && parts.length > 0 ? null : isList ? [{ type: "text", text }] : text,
    refusal: refusal?.text ?? null,
    annotations: [],
    ...wholeReasoning(reasoning),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(wholeCall) }),
  };
}

function wholeReasoning(parts: readonly SettledReasoning[]): WireObject {
  const textOf = (...fields: readonly string[]): string | undefined => {
    const found = parts.filter((part) => fields.includes(part.field));
    return found.length === 0 ? undefined : found.map((part) => part.text).join("\n\n");
  };
  const content = textOf("reasoning_content");
  const plain = textOf("reasoning", "reasoning_details");
  const details = parts
    .filter((part) => part.field === "reasoning_details")
    .map((part, index) => Object.assign({}, ...detailsOf(part, { index, pieces: [part.text] })) as WireObject);
  return {
    ...(content === undefined ? {} : { reasoning_content: content }),
    ...(plain === undefined ? {} : { reasoning: plain }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

function wholeCall(call: SettledCall): WireObject {
  return {
    ...(call.id === "" ? {} : { id: call.id }),
    type: "function",
    function: { name: call.name, arguments: call.argumentText },
    ...(call.extraContent === undefined ? {} : { extra_content: call.extraContent }),
  };
}

function chatUsage(usage: WireUsage): WireObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      audio_tokens: 0,
      ...(usage.cacheWrite === 0 ? {} : { cache_write_tokens: usage.cacheWrite }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...usage.extra,
  };
}

const finishWords: Readonly<Record<Finish, string>> = {
  stop: "stop",
  tool_calls: "tool_calls",
  length: "length",
  content_filter: "content_filter",
  pause: "stop",
  "stop-sequence": "stop",
  "context-full": "length",
  failed: "error",
};

function finishOf(message: MessageContent, parts: readonly SettledPart[]): string | null {
  const { rawFinish, finish } = message.options;
  if (rawFinish !== undefined) return rawFinish;
  return finishWords[finish ?? (parts.some((part) => part.kind === "call") ? "tool_calls" : "stop")];
}
