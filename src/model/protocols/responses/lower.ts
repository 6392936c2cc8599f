import type { ToolChoice } from "#conversation";
import { UserError } from "#foundation/errors";
import type { ModelRequest } from "../../request.ts";
import { defined, writeBody } from "../body.ts";
import type { WireRequest } from "../protocol.ts";
import { responsesEffort } from "../shared/effort.ts";
import { endpointHeaders } from "../shared/endpoint.ts";
import { hasFastService } from "../shared/fast-service.ts";
import { wantedOutput } from "../shared/output-limit.ts";
import { wireTools } from "../shared/schema/tool-schema.ts";
import { systemText } from "../shared/system-text.ts";
import { WireMemo } from "../wire-memo.ts";
import { inputItems } from "./items.ts";
import { knownFields, type ResponsesTool } from "./wire.ts";

/** The service insists on instructions; a caller without any gets these. */
const defaultInstructions = "You are Hermes, a personal assistant.";
const smallestOutput = 16;

/** A request as `POST /responses`. Nothing is stored on the server: what it must remember is sent again. */
export function lowerResponses(request: ModelRequest, memo = new WireMemo()): WireRequest {
  const { target, options } = request;
  const { quirks } = target;
  const { stream } = options;
  const { input, hasImages } = inputItems(request, memo);
  const hasTools = request.tools.length > 0;
  const system = systemText(request);
  const isCopilot = quirks.reasoning === "copilot";
  const body = {
    ...defined({
      model: target.model,
      instructions: system === "" ? defaultInstructions : system,
      input,
      tools: hasTools ? toolsOf(request, memo) : undefined,
      tool_choice: hasTools ? toolChoice(options.toolChoice) : undefined,
      parallel_tool_calls: hasTools ? true : undefined,
      store: false,
      stream: stream ? true : undefined,
      ...responsesEffort(request),
      prompt_cache_key: quirks.acceptsPromptCacheKey === true && !isCopilot ? options.cacheKey : undefined,
      max_output_tokens: outputLimit(request),
      temperature: quirks.omitTemperature === true ? undefined : options.temperature,
      service_tier: options.serviceTier === "fast" && hasFastService(target) ? "priority" : undefined,
      text: textFormat(request),
    }),
    ...quirks.extraBody,
    ...options.extraBody,
  };
  refuseUnknownFields(body);
  return {
    method: "POST",
    path: "/responses",
    headers: { "content-type": "application/json", ...endpointHeaders(request, hasImages) },
    body: writeBody(body),
    framing: stream ? "sse" : "json",
  };
}

function toolsOf({ tools, target }: ModelRequest, memo: WireMemo): readonly ResponsesTool[] {
  return wireTools(tools, target.quirks, memo).map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    strict: false,
  }));
}

/** A field the service does not know would be refused by it too, in words that are harder to act on. */
function refuseUnknownFields(body: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(body).find((name) => !knownFields.has(name));
  if (unknown === undefined) return;
  throw new UserError(`The Responses API has no request field "${unknown}".`, {
    code: "unknown_request_field",
    hint: "Remove it from the extra body fields of this model or provider.",
    data: { field: unknown },
  });
}

function toolChoice(choice: ToolChoice | undefined): unknown {
  if (choice === undefined) return "auto";
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}

function outputLimit(request: ModelRequest): number | undefined {
  if (request.target.quirks.outputLimitField === "none") return undefined;
  const wanted = wantedOutput(request);
  return wanted === undefined ? undefined : Math.max(smallestOutput, wanted);
}

function textFormat({ options }: ModelRequest): unknown {
  const { responseSchema } = options;
  if (responseSchema === undefined) return undefined;
  const { name, schema } = responseSchema;
  return { format: { type: "json_schema", name, schema, strict: false } };
}
