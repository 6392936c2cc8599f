import type { ImagePart } from "#conversation";
import type { Target } from "../../target.ts";

/** An image as a provider can take it, or why it cannot. */
export type Image =
  | { readonly kind: "inline"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "remote"; readonly url: string }
  /** `text` stands in for the image, so that the model knows something was there. */
  | { readonly kind: "refused"; readonly text: string };

const readableTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** What of a target changes how images are written. */
export function imageFacts({ quirks, isLocal }: Target): string {
  return `${quirks.supportsImages !== false ? "images" : "blind"} ${isLocal ? "local" : "remote"}`;
}

/** Reads the address of an image part. Only types that every vision model reads are sent. */
export function readImage(part: ImagePart, target: Target): Image {
  if (target.quirks.supportsImages === false) return refused("this model takes no images");
  const { url } = part.image_url;
  if (/^data:/i.test(url)) return readDataUrl(url);
  if (/^https:\/\/./i.test(url)) return { kind: "remote", url };
  if (target.isLocal && /^http:\/\/./i.test(url)) return { kind: "remote", url };
  return refused("its address is neither a data URL nor an https address");
}

function readDataUrl(url: string): Image {
  const comma = url.indexOf(",");
  const head = comma < 0 ? "" : url.slice("data:".length, comma);
  const [type = "", ...parameters] = head.split(";").map((piece) => piece.trim().toLowerCase());
  const mediaType = type === "image/jpg" ? "image/jpeg" : type;
  if (!readableTypes.includes(mediaType)) return refused(`${shownType(mediaType)} is not a type that models read`);
  if (!parameters.includes("base64")) return refused("its data is not in base64");
  const data = url.slice(comma + 1);
  const clean = /\s/.test(data) ? data.replace(/\s+/g, "") : data;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(clean)) return refused("its data is not in base64");
  return { kind: "inline", mediaType, data: clean };
}

function shownType(type: string): string {
  return /^[a-z]+\/[a-z0-9.+-]{1,40}$/.test(type) ? type : "this";
}

function refused(reason: string): Image {
  return { kind: "refused", text: `[image not sent: ${reason}]` };
}

export function dataUrl(image: Extract<Image, { kind: "inline" }>): string {
  return `data:${image.mediaType};base64,${image.data}`;
}
