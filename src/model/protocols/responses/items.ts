import { type AssistantMessage, type Content, callsOf, type ToolMessage, type UserMessage } from "#conversation";
import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import { JsonText } from "../body.ts";
import { CallIds } from "../shared/call-ids.ts";
import { objectsIn, textIn, type WireObject } from "../shared/fields.ts";
import { prepareHistory, wireArguments, wireName } from "../shared/history.ts";
import { dataUrl, imageFacts, readImage } from "../shared/media.ts";
import { joinForms, type WireForm, type WireMemo, wireRun } from "../wire-memo.ts";
import type { InputItem, InputPart } from "./wire.ts";

const maxIdLength = 64;

export interface InputItems {
  readonly input: JsonText;
  readonly hasImages: boolean;
}

type ItemsForm = WireForm<readonly InputItem[]>;

/** The history as input items. */
export function inputItems(request: ModelRequest, memo: WireMemo): InputItems {
  const { target } = request;
  const ids = new CallIds(maxIdLength);
  const seenReasoning = new Set<string>();
  const facts = `responses ${imageFacts(target)}`;
  const user = ({ content }: UserMessage): ItemsForm => {
    const parts = inputParts(content, target);
    return wireRun<InputItem>([{ role: "user", content: parts }], hasImage(parts));
  };
  const assistant = (message: AssistantMessage): ItemsForm =>
    wireRun(assistantItems(message, { ids, seenReasoning: new Set() }));
  const tool = (message: ToolMessage): ItemsForm => {
    const output = inputParts(message.content, target);
    const call_id = ids.of(message.tool_call_id);
    return wireRun<InputItem>([{ type: "function_call_output", call_id, output }], hasImage(output));
  };
  const forms: ItemsForm[] = [];
  for (const message of prepareHistory(request.messages, memo)) {
    switch (message.role) {
      case "user":
        forms.push(memo.form(message, facts, user));
        break;
      case "assistant":
        forms.push(
          repeatsReasoning(message, seenReasoning)
            ? wireRun(assistantItems(message, { ids, seenReasoning }))
            : memo.form(message, `${facts} ${ids.ofCalls(message)}`, assistant),
        );
        break;
      case "tool":
        forms.push(memo.form(message, `${facts} ${ids.of(message.tool_call_id)}`, tool));
        break;
    }
  }
  return {
    input: new JsonText(`[${joinForms(forms)}]`),
    hasImages: forms.some((form) => form.hasImages),
  };
}

/** Whether some of the reasoning was sent before; if none was, it counts as sent from now on. */
function repeatsReasoning(message: AssistantMessage, seen: Set<string>): boolean {
  if (message.codex_reasoning_items === undefined) return false;
  const keys = objectsIn(message.codex_reasoning_items).filter(isEncrypted).map(reasoningKey);
  if (keys.some((key) => seen.has(key))) return true;
  for (const key of keys) seen.add(key);
  return false;
}

function isEncrypted(item: WireObject): boolean {
  return textIn(item["encrypted_content"]) !== "";
}

function reasoningKey(item: WireObject): string {
  return textIn(item["id"]) || textIn(item["encrypted_content"]);
}

function hasImage(content: string | readonly InputPart[]): boolean {
  return typeof content !== "string" && content.some((part) => part.type === "input_image");
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
      ...defined({ detail }),
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
    const key = reasoningKey(item);
    if (!isEncrypted(item) || seen.has(key)) return [];
    seen.add(key);
    const summary = Array.isArray(item["summary"]) ? item["summary"] : [];
    return [{ type: "reasoning", summary, encrypted_content: textIn(item["encrypted_content"]) }];
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
