import type { ToolChoice } from "#conversation";
import type { ModelRequest } from "../../request.ts";
import { defined, JsonText, writeBody } from "../body.ts";
import type { WireRequest } from "../protocol.ts";
import { cacheMark, markForCache } from "../shared/cache-marks.ts";
import { chatEffort, refusesSampling } from "../shared/effort.ts";
import { endpointHeaders, portalMetadata } from "../shared/endpoint.ts";
import { hasFastService } from "../shared/fast-service.ts";
import { wantedOutput } from "../shared/output-limit.ts";
import { wireTools } from "../shared/schema/tool-schema.ts";
import { systemText } from "../shared/system-text.ts";
import { joinForms, WireMemo, wireForm } from "../wire-memo.ts";
import { type ChatForm, chatMessages } from "./messages.ts";
import type { ChatMessage, ChatTool } from "./wire.ts";

/** A request as `POST /chat/completions`. */
export function lowerChat(request: ModelRequest, memo = new WireMemo()): WireRequest {
  const { target, options } = request;
  const { quirks } = target;
  const { stream } = options;
  const { messages, hasImages } = chatMessages(request, memo);
  const hasTools = request.tools.length > 0;
  const body = {
    ...defined({
      model: target.model,
      messages: new JsonText(`[${joinForms(finishMessages(request, messages))}]`),
      tools: hasTools ? toolsOf(request, memo) : undefined,
      tool_choice: hasTools ? toolChoice(options.toolChoice) : undefined,
      stream: stream ? true : undefined,
      stream_options: stream ? { include_usage: true } : undefined,
      ...outputLimit(request),
      temperature:
        quirks.omitTemperature === true || refusesClaudeSampling(target.model) ? undefined : options.temperature,
      response_format: responseFormat(request),
      prompt_cache_key: quirks.acceptsPromptCacheKey === true ? options.cacheKey : undefined,
      service_tier: options.serviceTier === "fast" && hasFastService(target) ? "priority" : undefined,
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

function toolsOf({ tools, target }: ModelRequest, memo: WireMemo): readonly ChatTool[] {
  return wireTools(tools, target.quirks, memo).map((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: tool.parameters },
  }));
}

/** System message in front, then the cache marks: on the portal of Qwen one for the system message only. */
function finishMessages(request: ModelRequest, history: readonly ChatForm[]): readonly ChatForm[] {
  const { quirks } = request.target;
  const ttl = request.options.cacheTtl;
  const system = systemMessage(request);
  if (quirks.contentAsParts === true) {
    if (system === undefined) return history;
    const content = [{ type: "text" as const, text: system.content, cache_control: cacheMark(ttl) }];
    return [wireForm<ChatMessage>({ ...system, content }), ...history];
  }
  const forms = system === undefined ? history : [wireForm<ChatMessage>(system), ...history];
  if ((quirks.cacheMarks ?? "none") === "none") return forms;
  const plain = forms.map((form) => form.value);
  // Only marked messages are copied, so the others keep their text.
  return markForCache(plain, { style: "message", ttl }).map((message, index) => {
    const form = forms[index];
    return form?.value === message ? form : wireForm(message);
  });
}

interface SystemWire {
  readonly role: "system" | "developer";
  readonly content: string;
}

function systemMessage(request: ModelRequest): SystemWire | undefined {
  const { quirks, model } = request.target;
  const content = systemText(request);
  const isDeveloper = quirks.developerRole ?? /gpt-5|codex/i.test(model);
  return content === "" ? undefined : { role: isDeveloper ? "developer" : "system", content };
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
