import { isRecord } from "#foundation/text/json";

/** Reading foreign objects: whatever is missing or of the wrong kind reads as its empty value. */
export type WireObject = Readonly<Record<string, unknown>>;

const nothing: WireObject = Object.freeze({});

export function objectIn(value: unknown): WireObject {
  return isRecord(value) ? value : nothing;
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsIn(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Servers write `null` for what is not there. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A count of tokens: a whole number of at least zero. */
export function countIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

/** Words of a content that may be a string, a part, or a list of either. */
export function flatText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(flatText).join("");
  if (!isRecord(value)) return "";
  if (typeof value["text"] === "string") return value["text"];
  return "content" in value ? flatText(value["content"]) : "";
}
