import { createHash } from "node:crypto";
import type { ToolChoice } from "#conversation";
import type { ModelRequest } from "../../request.ts";
import { defined, JsonText, writeBody } from "../body.ts";
import type { WireRequest } from "../protocol.ts";
import { geminiThinking } from "../shared/effort.ts";
import { wantedOutput } from "../shared/output-limit.ts";
import { geminiSchema } from "../shared/schema/gemini-schema.ts";
import { wireTools } from "../shared/schema/tool-schema.ts";
import { systemText } from "../shared/system-text.ts";
import { WireMemo } from "../wire-memo.ts";
import { geminiContents } from "./contents.ts";

/** Base address that stands for Google's Code Assist service, which wraps the same request. */
const codeAssistScheme = "cloudcode-pa:";

/** A request as `models/{model}:generateContent`. */
export function lowerGemini(request: ModelRequest, memo = new WireMemo()): WireRequest {
  const { target, options } = request;
  const { stream } = options;
  const isCodeAssist = target.baseUrl.startsWith(codeAssistScheme);
  const { project, ...extra } = { ...target.quirks.extraBody, ...options.extraBody };
  const inner = { ...generateBody(request, memo), ...(isCodeAssist ? {} : defined({ project })), ...extra };
  const method = stream ? "streamGenerateContent" : "generateContent";
  const model = target.model.replace(/^models\//, "");
  const text = writeBody(inner);
  const body = isCodeAssist
    ? writeBody(defined({ project, model, user_prompt_id: digest(text), request: new JsonText(text) }))
    : text;
  return {
    method: "POST",
    path: `${isCodeAssist ? "/v1internal" : `/models/${encodeURIComponent(model)}`}:${method}${stream ? "?alt=sse" : ""}`,
    headers: { "content-type": "application/json" },
    body,
    framing: stream ? "sse" : "json",
  };
}

function generateBody(request: ModelRequest, memo: WireMemo): Record<string, unknown> {
  const { target, options } = request;
  const system = systemText(request);
  const hasTools = request.tools.length > 0;
  const generation = defined({
    maxOutputTokens: wantedOutput(request),
    temperature: target.quirks.omitTemperature === true ? undefined : options.temperature,
    thinkingConfig: geminiThinking(request),
    ...responseFormat(request),
  });
  return defined({
    contents: geminiContents(request, memo),
    systemInstruction: system === "" ? undefined : { parts: [{ text: system }] },
    tools: hasTools ? toolsOf(request) : undefined,
    toolConfig: hasTools ? toolConfig(options.toolChoice) : undefined,
    generationConfig: Object.keys(generation).length === 0 ? undefined : generation,
  });
}

function toolsOf({ tools, target }: ModelRequest): readonly unknown[] {
  const functionDeclarations = wireTools(tools, { ...target.quirks, toolSchema: "gemini" }).map((tool) => ({
    name: tool.name,
    description: tool.description,
    ...(Object.keys((tool.parameters["properties"] as object | undefined) ?? {}).length === 0
      ? {}
      : { parameters: tool.parameters }),
  }));
  return [{ functionDeclarations }];
}

function toolConfig(choice: ToolChoice | undefined): unknown {
  if (choice === undefined || choice === "auto") return undefined;
  if (choice === "none") return { functionCallingConfig: { mode: "NONE" } };
  if (choice === "required") return { functionCallingConfig: { mode: "ANY" } };
  return { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [choice.name] } };
}

function responseFormat({ options }: ModelRequest): Readonly<Record<string, unknown>> {
  const { responseSchema } = options;
  if (responseSchema === undefined) return {};
  return { responseMimeType: "application/json", responseSchema: geminiSchema(responseSchema.schema) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
