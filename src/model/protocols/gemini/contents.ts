import { type AssistantMessage, type Content, callsOf, type ToolCall, type ToolMessage, textOf } from "#conversation";
import { isRecord, parseJson } from "#foundation/json";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import { objectIn } from "../shared/fields.ts";
import { argumentObject, prepareHistory, wireName } from "../shared/history.ts";
import { readImage } from "../shared/media.ts";
import type { GeminiContent, GeminiPart } from "./wire.ts";

/** Accepted by Gemini 3 in place of the signature of a call that another model made. */
const foreignSignature = "skip_thought_signature_validator";

/** The history as contents of the roles `user` and `model`; results of calls are the user's. */
export function geminiContents(request: ModelRequest): readonly GeminiContent[] {
  const { target } = request;
  const names = new Map<string, string>();
  const contents: { role: "user" | "model"; parts: GeminiPart[] }[] = [];
  const push = (role: "user" | "model", parts: readonly GeminiPart[]): void => {
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  };
  for (const message of prepareHistory(request.messages)) {
    switch (message.role) {
      case "user":
        push("user", contentParts(message.content, target));
        break;
      case "assistant":
        for (const call of callsOf(message)) names.set(call.id, wireName(call.function.name));
        push("model", modelParts(message, target));
        break;
      case "tool":
        push("user", resultParts(message, { name: names.get(message.tool_call_id) ?? "unknown_tool", target }));
        break;
    }
  }
  return contents;
}

function contentParts(content: Content, target: Target): readonly GeminiPart[] {
  if (typeof content === "string") return [{ text: content }];
  return content.map((part) => (part.type === "text" ? { text: part.text } : imageOf(part, target)));
}

function imageOf(part: Parameters<typeof readImage>[0], target: Target): GeminiPart {
  const image = readImage(part, target);
  if (image.kind === "refused") return { text: image.text };
  if (image.kind === "remote") return { fileData: { fileUri: image.url } };
  return { inlineData: { mimeType: image.mediaType, data: image.data } };
}

function modelParts(message: AssistantMessage, target: Target): readonly GeminiPart[] {
  const text: readonly GeminiPart[] = message.content === "" ? [] : [{ text: message.content }];
  const calls = callsOf(message).map((call, index) => callPart(call, index === 0 && needsSignature(target)));
  const parts = [...text, ...calls];
  return parts.length === 0 ? [{ text: " " }] : parts;
}

function callPart(call: ToolCall, isSignatureNeeded: boolean): GeminiPart {
  const signature = signatureOf(call) ?? (isSignatureNeeded ? foreignSignature : undefined);
  return {
    functionCall: { name: wireName(call.function.name), args: argumentObject(call.function.arguments) },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  };
}

function signatureOf(call: ToolCall): string | undefined {
  const signature = objectIn(objectIn(call.extra_content)["google"])["thought_signature"];
  return typeof signature === "string" && signature !== "" ? signature : undefined;
}

function needsSignature(target: Target): boolean {
  return Number(/gemini-(\d+)/i.exec(target.model)?.[1] ?? 0) >= 3;
}

/** A result is an object here; any other is wrapped. Images stand beside it. */
function resultParts(
  message: ToolMessage,
  { name, target }: { readonly name: string; readonly target: Target },
): readonly GeminiPart[] {
  const text = textOf(message.content);
  const parsed = /^\s*\{/.test(text) ? parseJson(text) : undefined;
  const response = parsed?.ok === true && isRecord(parsed.value) ? parsed.value : { output: text };
  const images = typeof message.content === "string" ? [] : message.content.filter((part) => part.type === "image_url");
  return [{ functionResponse: { name, response } }, ...images.map((part) => imageOf(part, target))];
}
