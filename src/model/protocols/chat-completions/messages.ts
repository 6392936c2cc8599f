import {
  type AssistantMessage,
  type Content,
  callsOf,
  type ImagePart,
  type Message,
  replayedReasoning,
  type ToolMessage,
  textOf,
} from "#conversation";
import { isRecord } from "#foundation/json";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import { CallIds } from "../shared/call-ids.ts";
import { prepareHistory, wireArguments, wireName } from "../shared/history.ts";
import { dataUrl, readImage } from "../shared/media.ts";
import type { ChatCall, ChatContent, ChatMessage, ChatPart } from "./wire.ts";

/** OpenAI refuses longer ones. */
const maxIdLength = 40;
const imagesFollow = "(images returned by the tools above)";

export interface ChatMessages {
  readonly messages: readonly ChatMessage[];
  readonly hasImages: boolean;
}

/** The history in chat shape; internal fields stay behind, because strict servers refuse what they do not know. */
export function chatMessages(request: ModelRequest): ChatMessages {
  const { target } = request;
  const ids = new CallIds(maxIdLength);
  const output: ChatMessage[] = [];
  let pendingImages: ChatPart[] = [];
  let hasImages = false;
  const flushImages = (): void => {
    if (pendingImages.length === 0) return;
    output.push({ role: "user", content: [{ type: "text", text: imagesFollow }, ...pendingImages] });
    pendingImages = [];
  };
  for (const message of prepareHistory(request.messages)) {
    switch (message.role) {
      case "user": {
        const content = userContent(message.content, target);
        hasImages ||= typeof content !== "string" && content.some(isImage);
        output.push(joinImages(pendingImages, content));
        pendingImages = [];
        break;
      }
      case "assistant":
        flushImages();
        output.push(assistant(message, target, ids));
        break;
      case "tool": {
        const images = toolImages(message, target).filter(isImage);
        hasImages ||= images.length > 0;
        pendingImages.push(...images);
        output.push({ role: "tool", content: toolText(message, target), tool_call_id: ids.of(message.tool_call_id) });
        break;
      }
    }
  }
  flushImages();
  return { messages: output, hasImages };
}

function joinImages(images: readonly ChatPart[], content: ChatContent): ChatMessage {
  if (images.length === 0) return { role: "user", content };
  const own: readonly ChatPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { role: "user", content: [{ type: "text", text: imagesFollow }, ...images, ...own] };
}

function userContent(content: Content, target: Target): ChatContent {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? { type: "text", text: part.text } : imagePart(part, target)));
}

function isImage(part: ChatPart): boolean {
  return part.type !== "text";
}

function imagePart(part: ImagePart, target: Target): ChatPart {
  const image = readImage(part, target);
  if (image.kind === "refused") return { type: "text", text: image.text };
  const isTranslated = target.baseUrl.includes("/anthropic");
  if (image.kind === "remote") {
    if (isTranslated) return { type: "image", source: { type: "url", url: image.url } };
    return { type: "image_url", image_url: { url: image.url, ...detailOf(part) } };
  }
  if (isTranslated) return { type: "image", source: { type: "base64", media_type: image.mediaType, data: image.data } };
  return { type: "image_url", image_url: { url: dataUrl(image), ...detailOf(part) } };
}

function detailOf(part: ImagePart): { readonly detail?: string } {
  const { detail } = part.image_url;
  return detail === undefined ? {} : { detail };
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
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
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

export function hasCalls(messages: readonly Message[]): boolean {
  return messages.some((message) => callsOf(message).length > 0);
}
