import type { ToolChoice } from "#conversation";
import type { ModelRequest } from "../../request.ts";
import { defined, writeBody } from "../body.ts";
import type { WireRequest } from "../protocol.ts";
import { wantedOutput } from "../shared/output-limit.ts";
import { wireTools } from "../shared/schema/tool-schema.ts";
import { systemText } from "../shared/system-text.ts";
import { WireMemo } from "../wire-memo.ts";
import { converseMessages } from "./messages.ts";
import type { ConverseTool } from "./wire.ts";

const usualOutput = 4_096;

/** A request as `POST /model/{id}/converse`. Signing is the credential's business. */
export function lowerConverse(request: ModelRequest, memo = new WireMemo()): WireRequest {
  const { target, options } = request;
  const { stream } = options;
  const { messages, usedTools } = converseMessages(request, memo);
  const system = systemText(request);
  const tools = toolsOf(request, usedTools);
  const body = {
    ...defined({
      messages,
      system: system === "" ? undefined : [{ text: system }],
      inferenceConfig: defined({
        maxTokens: wantedOutput(request) ?? Math.min(usualOutput, target.limits.maxOutputTokens ?? usualOutput),
        temperature: target.quirks.omitTemperature === true ? undefined : options.temperature,
      }),
      toolConfig: tools === undefined ? undefined : toolConfig(tools, options.toolChoice),
    }),
    ...target.quirks.extraBody,
    ...options.extraBody,
  };
  return {
    method: "POST",
    path: `/model/${encodeURIComponent(target.model)}/${stream ? "converse-stream" : "converse"}`,
    headers: {
      "content-type": "application/json",
      accept: stream ? "application/vnd.amazon.eventstream" : "application/json",
    },
    body: writeBody(body),
    framing: stream ? "aws-event-stream" : "json",
  };
}

/** The service refuses a history that mentions tools without a declaration of any. */
function toolsOf(request: ModelRequest, usedTools: ReadonlySet<string>): readonly ConverseTool[] | undefined {
  const { tools, target, options } = request;
  if (tools.length > 0 && options.toolChoice !== "none")
    return wireTools(tools, target.quirks).map((tool) =>
      toolSpec(tool.name, tool.description || tool.name, tool.parameters),
    );
  if (usedTools.size === 0) return undefined;
  const empty = { type: "object", properties: {} };
  return [...usedTools].map((name) => toolSpec(name, "Used earlier in this conversation; not available now.", empty));
}

function toolConfig(tools: readonly ConverseTool[], choice: ToolChoice | undefined): unknown {
  return defined({ tools, toolChoice: toolChoice(choice) });
}

function toolSpec(name: string, description: string, json: Readonly<Record<string, unknown>>): ConverseTool {
  return { toolSpec: { name, description, inputSchema: { json } } };
}

function toolChoice(choice: ToolChoice | undefined): unknown {
  if (choice === undefined || choice === "none") return undefined;
  if (choice === "auto") return { auto: {} };
  return choice === "required" ? { any: {} } : { tool: { name: choice.name } };
}
