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
