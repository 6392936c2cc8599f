import {
  type AssistantMessage,
  type Content,
  callsOf,
  type ImagePart,
  replayedReasoning,
  type ToolMessage,
  textOf,
  type UserMessage,
} from "#conversation";
import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import { CallIds } from "../shared/call-ids.ts";
import { prepareHistory, wireArguments, wireName } from "../shared/history.ts";
import { dataUrl, imageFacts, readImage } from "../shared/media.ts";
import { type WireForm, type WireMemo, wireForm } from "../wire-memo.ts";
import type { ChatCall, ChatContent, ChatMessage, ChatPart } from "./wire.ts";

/** OpenAI refuses longer ones. */
const maxIdLength = 40;
const imagesFollow = "(images returned by the tools above)";

export type ChatForm = WireForm<ChatMessage>;

export interface ChatMessages {
  readonly messages: readonly ChatForm[];
  readonly hasImages: boolean;
}

/** The history in chat shape; internal fields stay behind, because strict servers refuse what they do not know. */
export function chatMessages(request: ModelRequest, memo: WireMemo): ChatMessages {
  const { target } = request;
  const ids = new CallIds(maxIdLength);
  const facts = factsOf(target);
  const writer = new ChatWriter(target, ids);
  const output: ChatForm[] = [];
  let pendingImages: ChatPart[] = [];
  let hasImages = false;
  const add = (form: ChatForm): void => {
    output.push(form);
    hasImages ||= form.hasImages;
  };
  for (const message of prepareHistory(request.messages, memo)) {
    switch (message.role) {
      case "user":
        add(
          pendingImages.length === 0
            ? memo.form(message, facts, writer.user)
            : writer.images(pendingImages, userContent(message.content, target)),
        );
        pendingImages = [];
        break;
      case "assistant":
        if (pendingImages.length > 0) add(writer.images(pendingImages));
        pendingImages = [];
        add(memo.form(message, `${facts} ${ids.ofCalls(message)}`, writer.assistant));
        break;
      case "tool": {
        const form = memo.form(message, `${facts} ${ids.of(message.tool_call_id)}`, writer.tool);
        add(form);
        if (form.hasImages) pendingImages.push(...toolImages(message, target).filter(isImage));
        break;
      }
    }
  }
  if (pendingImages.length > 0) add(writer.images(pendingImages));
  return { messages: output, hasImages };
}

/** Whatever of the target goes into a message. */
function factsOf(target: Target): string {
  const { requiresReasoningContent, contentAsParts } = target.quirks;
  return `chat ${imageFacts(target)} ${isTranslated(target)} ${requiresReasoningContent === true} ${contentAsParts === true}`;
}

/** Writes single messages; as functions without a receiver, since they are handed on. */
class ChatWriter {
  readonly #target: Target;
  readonly #ids: CallIds;

  constructor(target: Target, ids: CallIds) {
    this.#target = target;
    this.#ids = ids;
  }

  readonly user = ({ content }: UserMessage): ChatForm => {
    const written = userContent(content, this.#target);
    return this.#form({ role: "user", content: written }, hasImage(written));
  };

  readonly assistant = (message: AssistantMessage): ChatForm =>
    this.#form(assistant(message, this.#target, this.#ids), false);

  readonly tool = (message: ToolMessage): ChatForm => {
    const id = this.#ids.of(message.tool_call_id);
    const written = { role: "tool" as const, content: toolText(message, this.#target), tool_call_id: id };
    return this.#form(written, toolImages(message, this.#target).some(isImage));
  };

  /** The images of results, in the user's message behind them or in one of their own. */
  images(images: readonly ChatPart[], content: ChatContent = []): ChatForm {
    const parts: readonly ChatPart[] = [{ type: "text", text: imagesFollow }, ...images, ...asParts(content)];
    return this.#form({ role: "user", content: parts }, true);
  }

  /** The Qwen portal wants lists of parts everywhere. */
  #form(message: ChatMessage, hasImages: boolean): ChatForm {
    if (this.#target.quirks.contentAsParts !== true) return wireForm(message, hasImages);
    return wireForm({ ...message, content: asParts(message.content) }, hasImages);
  }
}

function asParts(content: ChatContent): readonly ChatPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function userContent(content: Content, target: Target): ChatContent {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? { type: "text", text: part.text } : imagePart(part, target)));
}

function hasImage(content: ChatContent): boolean {
  return typeof content !== "string" && content.some(isImage);
}

function isImage(part: ChatPart): boolean {
  return part.type !== "text";
}

function imagePart(part: ImagePart, target: Target): ChatPart {
  const image = readImage(part, target);
  if (image.kind === "refused") return { type: "text", text: image.text };
  if (image.kind === "remote") {
    if (isTranslated(target)) return { type: "image", source: { type: "url", url: image.url } };
    return { type: "image_url", image_url: { url: image.url, ...detailOf(part) } };
  }
  if (isTranslated(target))
    return { type: "image", source: { type: "base64", media_type: image.mediaType, data: image.data } };
  return { type: "image_url", image_url: { url: dataUrl(image), ...detailOf(part) } };
}

function isTranslated(target: Target): boolean {
  return target.baseUrl.includes("/anthropic");
}

function detailOf(part: ImagePart): { readonly detail?: string } {
  const { detail } = part.image_url;
  return defined({ detail });
}

/** Tool messages hold text only; their images follow in a user message. */
function toolImages(message: ToolMessage, target: Target): readonly ChatPart[] {
  if (typeof message.content === "string") return [];
  return message.content.filter((part) => part.type === "image_url").map((part) => imagePart(part, target));
}

function toolText(message: ToolMessage, target: Target): string {
  if (typeof message.content === "string") return message.content;
  const refused = toolImages(message, target).filter((part) => part.type === "text");
  const text = [textOf(message.content), ...refused.map((part) => (part.type === "text" ? part.text : ""))]
    .filter((one) => one.trim() !== "")
    .join("\n");
  return text === "" ? "(the result is an image; it follows)" : text;
}

function assistant(message: AssistantMessage, target: Target, ids: CallIds): ChatMessage {
  const reasoning = replayedReasoning(message, { fieldIsRequired: target.quirks.requiresReasoningContent === true });
  const details = replayedDetails(message);
  const calls = callsOf(message).map(
    (call): ChatCall => ({
      id: ids.of(call.id),
      type: "function",
      function: { name: wireName(call.function.name), arguments: wireArguments(call.function.arguments) },
      ...(call.extra_content === undefined || call.extra_content === null ? {} : { extra_content: call.extra_content }),
    }),
  );
  return {
    role: "assistant",
    content: message.content,
    ...defined({ reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Blocks of the Messages wire are stored in the same field and mean nothing here. */
function replayedDetails(message: AssistantMessage): readonly unknown[] {
  const details: unknown = message.reasoning_details;
  if (!Array.isArray(details)) return [];
  return details.filter(
    (detail) => !isRecord(detail) || (detail["type"] !== "thinking" && detail["type"] !== "redacted_thinking"),
  );
}
