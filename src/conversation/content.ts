/** What a message can hold. Shapes and names are those of the chat-completions wire, also on disk. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image_url";
  readonly image_url: { readonly url: string; readonly detail?: "auto" | "low" | "high" };
}

export type ContentPart = TextPart | ImagePart;
export type Content = string | readonly ContentPart[];

export function textPart(text: string): TextPart {
  return { type: "text", text };
}

export function imagePart(url: string): ImagePart {
  return { type: "image_url", image_url: { url } };
}

/** The words of a content, parts joined by a newline; images contribute nothing. */
export function textOf(content: Content | null | undefined): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  return content
    .filter((part): part is TextPart => part.type === "text")
    .map((part) => part.text)
    .join("\n");
}

export function isEmptyContent(content: Content | null | undefined): boolean {
  if (content === null || content === undefined) return true;
  if (typeof content === "string") return content.trim() === "";
  return content.every((part) => part.type === "text" && part.text.trim() === "");
}

export function imagesOf(content: Content): readonly ImagePart[] {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "image_url");
}

/** The formats that providers take. */
export type SentImageKind = "png" | "jpeg" | "gif" | "webp";

/** What an image is by its first bytes, where it can be sent to a model; its name is not believed. */
export function sentImageKind(bytes: Uint8Array): SentImageKind | undefined {
  const head = headOf(bytes);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (head.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^GIF8[79]a/.test(head)) return "gif";
  return head.startsWith("RIFF") && head.slice(8, 12) === "WEBP" ? "webp" : undefined;
}

/** Why an image cannot be sent to a model; undefined when it can. */
export function imageProblem(bytes: Uint8Array): string | undefined {
  if (sentImageKind(bytes) !== undefined) return undefined;
  const format = otherFormat(headOf(bytes));
  return format === undefined
    ? "it is not a PNG, JPEG, GIF or WebP image"
    : `it is ${format}; models take PNG, JPEG, GIF and WebP, so convert it first`;
}

function otherFormat(head: string): string | undefined {
  if (head.startsWith("BM")) return "a BMP image";
  if (head.startsWith("II*\0") || head.startsWith("MM\0*")) return "a TIFF image";
  if (head.startsWith("\0\0\x01\0")) return "an icon";
  if (/^(?:\xef\xbb\xbf)?\s*(?:<\?xml|<!--|<!DOCTYPE svg|<svg[\s>])/i.test(head)) return "an SVG drawing";
  return undefined;
}

function headOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 512)).toString("latin1");
}
