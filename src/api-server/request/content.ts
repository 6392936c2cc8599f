import { isRecord } from "#foundation/text/json";
import { badRequest } from "../api-error.ts";

/** What a message says: its words, and images beside them. */
export interface MessageContent {
  readonly text: string;
  readonly images: readonly string[];
}

const maxCharacters = 65_536;
const mostPieces = 1000;
const maxImageCharacters = 900_000;

/** Reads a content: a text, or parts of text and images. `param` names it in refusals. */
export function readContent(value: unknown, param: string): MessageContent {
  if (value === null || value === undefined) return { text: "", images: [] };
  if (typeof value === "string") return { text: bounded(value, param), images: [] };
  if (!Array.isArray(value))
    throw badRequest("content must be text or a list of parts.", { code: "invalid_content_part", param });
  if (value.length > mostPieces)
    throw badRequest(`content may have at most ${mostPieces} parts.`, { code: "invalid_content_part", param });
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of value as readonly unknown[]) {
    const read = readPart(part, param);
    if ("text" in read) texts.push(read.text);
    else images.push(read.image);
  }
  return { text: bounded(texts.join("\n"), param), images };
}

function readPart(part: unknown, param: string): { readonly text: string } | { readonly image: string } {
  if (typeof part === "string") return { text: part };
  if (!isRecord(part))
    throw badRequest("Each part of content must be an object.", { code: "invalid_content_part", param });
  const { type } = part;
  if (type === "text" || type === "input_text" || type === "output_text") {
    const { text } = part;
    if (typeof text !== "string")
      throw badRequest("A text part needs a text.", { code: "invalid_content_part", param });
    return { text };
  }
  if (type === "refusal") return { text: typeof part["refusal"] === "string" ? part["refusal"] : "" };
  if (type === "image_url" || type === "input_image") {
    const address = part["image_url"];
    return { image: imageUrl(isRecord(address) ? address["url"] : address, param) };
  }
  const name = typeof type === "string" ? type.slice(0, 50) : "without a type";
  throw badRequest(`Parts of the type ${name} are not supported.`, { code: "unsupported_content_type", param });
}

function imageUrl(value: unknown, param: string): string {
  const isTaken =
    typeof value === "string" &&
    value.length <= maxImageCharacters &&
    /^(?:https?:\/\/\S|data:image\/[a-z0-9.+-]+[;,])/i.test(value);
  if (!isTaken)
    throw badRequest("An image must be an http(s) or data:image URL.", { code: "invalid_image_url", param });
  return value;
}

function bounded(text: string, param: string): string {
  if (text.length <= maxCharacters) return text;
  throw badRequest(`A message has at most ${maxCharacters} characters (this one has ${text.length}).`, {
    code: "message_too_long",
    param,
  });
}
