import type { ToolChoice } from "#conversation";
import type { ModelRequest } from "../../request.ts";
import type { WireRequest } from "../protocol.ts";
import { defined, writeBody } from "../shared/body.ts";
import { cacheMark, markForCache } from "../shared/cache-marks.ts";
import { chatEffort, refusesSampling } from "../shared/effort.ts";
import { endpointHeaders, portalMetadata } from "../shared/endpoint.ts";
import { wantedOutput } from "../shared/output-limit.ts";
import { systemText } from "../shared/system-text.ts";
import { wireTools } from "../shared/tool-schema.ts";
import { chatMessages } from "./messages.ts";
import type { ChatContent, ChatMessage, ChatPart, ChatTool } from "./wire.ts";

/** A request as `POST /chat/completions`. */
export function lowerChat(request: ModelRequest): WireRequest {
  const { target, options } = request;
  const { quirks } = target;
  const stream = options.stream && quirks.supportsStreaming !== false;
  const { messages, hasImages } = chatMessages(request);
  const tools = wireTools(request.tools, quirks).map(
    (tool): ChatTool => ({
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: tool.parameters },
    }),
  );
  const hasTools = tools.length > 0;
  const body = {
    ...defined({
      model: target.model,
      messages: finishMessages(request, messages),
      tools: hasTools ? tools : undefined,
      tool_choice: hasTools ? toolChoice(options.toolChoice) : undefined,
      stream: stream ? true : undefined,
      stream_options: stream ? { include_usage: true } : undefined,
      ...outputLimit(request),
      temperature:
        quirks.omitTemperature === true || refusesClaudeSampling(target.model) ? undefined : options.temperature,
      response_format: responseFormat(request),
      prompt_cache_key: quirks.acceptsPromptCacheKey === true ? options.cacheKey : undefined,
      service_tier: options.serviceTier === "fast" ? "priority" : undefined,
      metadata: portalMetadata(request),
    }),
    ...chatEffort(request),
    ...quirks.extraBody,
    ...options.extraBody,
  };
  return {
    method: "POST",
    path: "/chat/completions",
    headers: { "content-type": "application/json", ...endpointHeaders(request, hasImages) },
    body: writeBody(body),
    framing: stream ? "sse" : "json",
  };
}

/** System message in front, then the shapes that single endpoints want, then the cache marks. */
function finishMessages(request: ModelRequest, history: readonly ChatMessage[]): readonly ChatMessage[] {
  const { quirks, model } = request.target;
  const text = systemText(request);
  const isDeveloper = quirks.developerRole ?? /gpt-5|codex/i.test(model);
  const system: readonly ChatMessage[] =
    text === "" ? [] : [{ role: isDeveloper ? "developer" : "system", content: text }];
  const messages = [...system, ...history];
  if (quirks.contentAsParts === true) return asParts(messages, request.options.cacheTtl);
  const style = quirks.cacheMarks ?? "none";
  return style === "none" ? messages : markForCache(messages, { style: "message", ttl: request.options.cacheTtl });
}

/** The Qwen portal wants lists of parts everywhere, and a mark on the last part of the system message. */
function asParts(messages: readonly ChatMessage[], ttl: string | undefined): readonly ChatMessage[] {
  return messages.map((message, index) => {
    const parts = partsOf(message.content);
    const last = parts.at(-1);
    const isSystem = index === 0 && (message.role === "system" || message.role === "developer");
    const content =
      isSystem && last !== undefined ? [...parts.slice(0, -1), { ...last, cache_control: cacheMark(ttl) }] : parts;
    return { ...message, content } as ChatMessage;
  });
}

function partsOf(content: ChatContent): readonly ChatPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function toolChoice(choice: ToolChoice | undefined): unknown {
  if (choice === undefined || choice === "auto") return undefined;
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

function outputLimit(request: ModelRequest): Readonly<Record<string, unknown>> {
  const field = request.target.quirks.outputLimitField ?? "max_tokens";
  return field === "none" ? {} : { [field]: wantedOutput(request) };
}

function responseFormat({ options }: ModelRequest): unknown {
  const { responseSchema } = options;
  if (responseSchema === undefined) return undefined;
  const { name, schema } = responseSchema;
  return { type: "json_schema", json_schema: { name, schema, strict: false } };
}

function refusesClaudeSampling(model: string): boolean {
  return /claude/i.test(model) && refusesSampling(model);
}
