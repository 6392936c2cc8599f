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
