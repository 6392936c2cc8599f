import type { MediaKind } from "../platform/inbound.ts";

/** What the first bytes of a file say it is; undefined when they say nothing known. */
export function sniff(head: Uint8Array): { readonly extension: string; readonly mimeType: string } | undefined {
  const text = Buffer.from(head.subarray(0, 16)).toString("latin1");
  const at = (offset: number, wanted: string): boolean => text.startsWith(wanted, offset);
  if (at(0, "\x89PNG\r\n\x1a\n")) return { extension: ".png", mimeType: "image/png" };
  if (at(0, "\xff\xd8\xff")) return { extension: ".jpg", mimeType: "image/jpeg" };
  if (at(0, "GIF87a") || at(0, "GIF89a")) return { extension: ".gif", mimeType: "image/gif" };
  if (at(0, "BM")) return { extension: ".bmp", mimeType: "image/bmp" };
  if (at(0, "RIFF") && at(8, "WEBP")) return { extension: ".webp", mimeType: "image/webp" };
  if (at(0, "RIFF") && at(8, "WAVE")) return { extension: ".wav", mimeType: "audio/wav" };
  if (at(0, "OggS")) return { extension: ".ogg", mimeType: "audio/ogg" };
  if (at(0, "ID3") || at(0, "\xff\xfb")) return { extension: ".mp3", mimeType: "audio/mpeg" };
  if (at(4, "ftypM4A")) return { extension: ".m4a", mimeType: "audio/mp4" };
  if (at(4, "ftyp")) return { extension: ".mp4", mimeType: "video/mp4" };
  if (at(0, "\x1aE\xdf\xa3")) return { extension: ".webm", mimeType: "video/webm" };
  if (at(0, "%PDF-")) return { extension: ".pdf", mimeType: "application/pdf" };
  return undefined;
}

export function isImage(mimeType: string | undefined): boolean {
  return mimeType?.startsWith("image/") === true;
}

/** The folder of the cache a kind of file goes to, and how its files are called there. */
export function cacheOf(kind: MediaKind): {
  readonly folder: "image" | "audio" | "video" | "document";
  readonly prefix: string;
} {
  if (kind === "image" || kind === "sticker" || kind === "animation") return { folder: "image", prefix: "img" };
  if (kind === "audio" || kind === "voice") return { folder: "audio", prefix: "audio" };
  return kind === "video" ? { folder: "video", prefix: "video" } : { folder: "document", prefix: "doc" };
}
