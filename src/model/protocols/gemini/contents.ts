import {
  type AssistantMessage,
  type Content,
  callsOf,
  type ToolCall,
  type ToolMessage,
  textOf,
  type UserMessage,
} from "#conversation";
import { defined } from "#foundation/defined";
import { isRecord, parseJson } from "#foundation/text/json";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import type { JsonText } from "../body.ts";
import { objectIn } from "../shared/fields.ts";
import { argumentObject, prepareHistory, wireName } from "../shared/history.ts";
import { imageFacts, readImage } from "../shared/media.ts";
import { WireTurns } from "../shared/wire-turns.ts";
import { type WireForm, type WireMemo, wireRun } from "../wire-memo.ts";
import type { GeminiPart } from "./wire.ts";

/** Accepted by Gemini 3 in place of the signature of a call that another model made. */
const foreignSignature = "skip_thought_signature_validator";

type PartsForm = WireForm<readonly GeminiPart[]>;

/** The history as contents of the roles `user` and `model`; results of calls are the user's. */
export function geminiContents(request: ModelRequest, memo: WireMemo): JsonText {
  const { target } = request;
  const names = new Map<string, string>();
  const nameOf = ({ tool_call_id }: ToolMessage): string => names.get(tool_call_id) ?? "unknown_tool";
  const facts = `gemini ${imageFacts(target)} ${needsSignature(target)}`;
  const contents = new WireTurns<"user" | "model", GeminiPart>();
  const user = (message: UserMessage): PartsForm => wireRun(contentParts(message.content, target));
  const model = (message: AssistantMessage): PartsForm => wireRun(modelParts(message, target));
  const result = (message: ToolMessage): PartsForm => wireRun(resultParts(message, { name: nameOf(message), target }));
  for (const message of prepareHistory(request.messages, memo)) {
    switch (message.role) {
      case "user":
        contents.push("user", memo.form(message, facts, user));
        break;
      case "assistant":
        for (const call of callsOf(message)) names.set(call.id, wireName(call.function.name));
        contents.push("model", memo.form(message, facts, model));
        break;
      case "tool":
        contents.push("user", memo.form(message, `${facts} ${nameOf(message)}`, result));
        break;
    }
  }
  return contents.write("parts");
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
    ...defined({ thoughtSignature: signature }),
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
