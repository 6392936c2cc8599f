import type { ShrinkImage } from "./ask-about-image.ts";

/** An image that is carried in its address, made smaller; undefined for any other address, or when it cannot be done. */
export async function shrinkDataUrl(
  url: string,
  { maxBytes, shrink }: { readonly maxBytes: number; readonly shrink: ShrinkImage },
  signal: AbortSignal,
): Promise<string | undefined> {
  const [, mime, data] = /^data:(image\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=\s]+)$/i.exec(url) ?? [];
  if (mime === undefined || data === undefined) return undefined;
  const smaller = await shrink({ bytes: Buffer.from(data, "base64"), mime }, maxBytes, signal);
  return smaller && `data:${smaller.mime};base64,${Buffer.from(smaller.bytes).toString("base64")}`;
}
