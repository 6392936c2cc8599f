import type { WireObject } from "../wire-object.ts";
import type { SettledPart } from "./settle.ts";

/** One event without its sequence number: the type, and what it says. */
export type ItemEvent = readonly [type: string, fields: WireObject];

export interface ItemOptions {
  readonly outputIndex: number;
  readonly withEncrypted: boolean;
  /** The status of the finished item. */
  readonly status: string;
}

/** The finished output item. */
export function itemOf(part: SettledPart, options: ItemOptions): WireObject {
  switch (part.kind) {
    case "reasoning":
      return {
        id: part.itemId,
        type: "reasoning",
        ...(options.withEncrypted && part.encrypted !== "" ? { encrypted_content: part.encrypted } : {}),
        summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
      };
    case "text":
    case "refusal":
      return {
        id: part.itemId,
        type: "message",
        status: options.status,
        content: [contentPart(part.kind, part.text)],
        ...(part.phase === undefined ? {} : { phase: part.phase }),
        role: "assistant",
      };
    case "call":
      return {
        id: part.itemId,
        type: "function_call",
        status: options.status,
        arguments: part.argumentText,
        call_id: part.id,
        name: part.name,
      };
  }
}

/** The events of one item, from `output_item.added` to `output_item.done`. */
export function itemEvents(part: SettledPart, options: ItemOptions): readonly ItemEvent[] {
  const item = itemOf(part, options);
  const location = { item_id: part.itemId, output_index: options.outputIndex };
  return [
    ["response.output_item.added", { output_index: options.outputIndex, item: openItem(item) }],
    ...contentEvents(part, location),
    ["response.output_item.done", { output_index: options.outputIndex, item }],
  ];
}

function contentEvents(part: SettledPart, location: WireObject): readonly ItemEvent[] {
  switch (part.kind) {
    case "reasoning": {
      if (part.text === "") return [];
      const where = { ...location, summary_index: 0 };
      const summary = (text: string): WireObject => ({ type: "summary_text", text });
      return [
        ["response.reasoning_summary_part.added", { ...where, part: summary("") }],
        ...part.pieces.map((delta): ItemEvent => ["response.reasoning_summary_text.delta", { ...where, delta }]),
        ["response.reasoning_summary_text.done", { ...where, text: part.text }],
        ["response.reasoning_summary_part.done", { ...where, part: summary(part.text) }],
      ];
    }
    case "text":
    case "refusal": {
      const where = { ...location, content_index: 0 };
      const name = part.kind === "text" ? "output_text" : "refusal";
      const logprobs = part.kind === "text" ? { logprobs: [] } : {};
      return [
        ["response.content_part.added", { ...where, part: contentPart(part.kind, "") }],
        ...part.pieces.map((delta): ItemEvent => [`response.${name}.delta`, { ...where, delta, ...logprobs }]),
        [`response.${name}.done`, { ...where, [part.kind]: part.text, ...logprobs }],
        ["response.content_part.done", { ...where, part: contentPart(part.kind, part.text) }],
      ];
    }
    case "call":
      return [
        ...part.pieces.map((delta): ItemEvent => ["response.function_call_arguments.delta", { ...location, delta }]),
        ["response.function_call_arguments.done", { ...location, arguments: part.argumentText, name: part.name }],
      ];
  }
}

function contentPart(kind: "text" | "refusal", text: string): WireObject {
  return kind === "text"
    ? { type: "output_text", annotations: [], logprobs: [], text }
    : { type: "refusal", refusal: text };
}

function openItem(item: WireObject): WireObject {
  if (item.type === "reasoning") return { ...item, summary: [] };
  const opened = { ...item, status: "in_progress" };
  return item.type === "message" ? { ...opened, content: [] } : { ...opened, arguments: "" };
}
