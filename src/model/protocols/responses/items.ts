import { type AssistantMessage, type Content, callsOf, type ToolMessage } from "#conversation";
import { isRecord } from "#foundation/json";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import { CallIds } from "../shared/call-ids.ts";
import { objectsIn, textIn } from "../shared/fields.ts";
import { prepareHistory, wireArguments, wireName } from "../shared/history.ts";
import { dataUrl, readImage } from "../shared/media.ts";
import type { InputItem, InputPart } from "./wire.ts";

const maxIdLength = 64;

export interface InputItems {
  readonly input: readonly InputItem[];
  readonly hasImages: boolean;
}

/** The history as input items. */
export function inputItems(request: ModelRequest): InputItems {
  const { target } = request;
  const ids = new CallIds(maxIdLength);
  const seenReasoning = new Set<string>();
  const input: InputItem[] = [];
  let hasImages = false;
  const read = (content: Content): string | readonly InputPart[] => {
    const parts = inputParts(content, target);
    hasImages ||= typeof parts !== "string" && parts.some((part) => part.type === "input_image");
    return parts;
  };
  for (const message of prepareHistory(request.messages)) {
    switch (message.role) {
      case "user":
        input.push({ role: "user", content: read(message.content) });
        break;
      case "assistant":
        input.push(...assistantItems(message, { ids, seenReasoning }));
        break;
      case "tool":
        input.push(output(message, ids, read(message.content)));
        break;
    }
  }
  return { input, hasImages };
}

function output(message: ToolMessage, ids: CallIds, content: string | readonly InputPart[]): InputItem {
  return { type: "function_call_output", call_id: ids.of(message.tool_call_id), output: content };
}

function inputParts(content: Content, target: Target): string | readonly InputPart[] {
  if (typeof content === "string") return content;
  return content.map((part): InputPart => {
    if (part.type === "text") return { type: "input_text", text: part.text };
    const image = readImage(part, target);
    if (image.kind === "refused") return { type: "input_text", text: image.text };
    const { detail } = part.image_url;
    return {
      type: "input_image",
      image_url: image.kind === "inline" ? dataUrl(image) : image.url,
      ...(detail === undefined ? {} : { detail }),
    };
  });
}

interface Seen {
  readonly ids: CallIds;
  readonly seenReasoning: Set<string>;
}

/** Reasoning first, then the words, then the calls: the order in which the service made them. */
function assistantItems(message: AssistantMessage, { ids, seenReasoning }: Seen): readonly InputItem[] {
  const reasoning = reasoningItems(message, seenReasoning);
  const calls = callsOf(message).map(
    (call): InputItem => ({
      type: "function_call",
      call_id: ids.of(call.id),
      name: wireName(call.function.name),
      arguments: wireArguments(call.function.arguments),
    }),
  );
  const words = wordItems(message, reasoning.length > 0);
  const isReasoningOnly = words.length === 0 && calls.length === 0;
  // Reasoning must be followed by what it led to; and an assistant that said nothing still spoke.
  return isReasoningOnly ? [...reasoning, { role: "assistant", content: "" }] : [...reasoning, ...words, ...calls];
}

/** Without its id: nothing is stored on the server, so that an id could not be looked up. */
function reasoningItems(message: AssistantMessage, seen: Set<string>): readonly InputItem[] {
  return objectsIn(message.codex_reasoning_items).flatMap((item): readonly InputItem[] => {
    const encrypted = textIn(item["encrypted_content"]);
    const key = textIn(item["id"]) || encrypted;
    if (encrypted === "" || seen.has(key)) return [];
    seen.add(key);
    const summary = Array.isArray(item["summary"]) ? item["summary"] : [];
    return [{ type: "reasoning", summary, encrypted_content: encrypted }];
  });
}

/** The exact items if they are stored and still say what the message says, else its text. */
function wordItems(message: AssistantMessage, hasReasoning: boolean): readonly InputItem[] {
  const stored = objectsIn(message.codex_message_items).flatMap((item) => storedItem(item, hasReasoning));
  if (stored.length > 0) return stored;
  return message.content === "" ? [] : [{ role: "assistant", content: message.content }];
}

/** An id brings in the reasoning that led to it, so it is only sent together with that. */
function storedItem(item: Readonly<Record<string, unknown>>, hasReasoning: boolean): readonly InputItem[] {
  const content = objectsIn(item["content"]).flatMap((part): readonly unknown[] => {
    if (part["type"] === "output_text" && typeof part["text"] === "string")
      return [{ type: "output_text", text: part["text"] }];
    if (part["type"] === "refusal" && typeof part["refusal"] === "string")
      return [{ type: "refusal", refusal: part["refusal"] }];
    return [];
  });
  if (content.length === 0 || !isRecord(item)) return [];
  const id = textIn(item["id"]);
  const phase = textIn(item["phase"]);
  const status = textIn(item["status"]);
  return [
    {
      type: "message",
      role: "assistant",
      content,
      ...(hasReasoning && id.startsWith("msg") ? { id } : {}),
      ...(phase === "" ? {} : { phase }),
      ...(status === "" ? {} : { status }),
    },
  ];
}
