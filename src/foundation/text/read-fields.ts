import { isRecord } from "./json.ts";

/** Small readers for values that somebody else wrote: front matter, registries, lock files. Wrong shapes read as absent. */

/** A text as a person meant it: numbers and dates written without quotes count too. */
export function readText(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value instanceof Date ? value.toISOString().slice(0, 10) : undefined;
}

/** A list of texts; `a, b` and `[a, b]` written as text are lists as well. */
export function readTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => readText(one) ?? []);
  const text = readText(value);
  if (text === undefined) return [];
  return text
    .replace(/^\[|\]$/g, "")
    .split(",")
    .map((one) => one.trim().replace(/^["']|["']$/g, ""))
    .filter((one) => one !== "");
}

export function readRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The objects of a list; a single object counts as a list of one. */
export function readRecords(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (isRecord(value)) return [value];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
