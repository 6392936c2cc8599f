import { findJsonError } from "./json-error.ts";

export type JsonParse =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string; readonly position?: number };

/** Reads JSON. A failure says where it went wrong without quoting the text, which may hold a secret. */
export function parseJson(text: string): JsonParse {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    const found = findJsonError(text);
    if (found !== undefined) return { ok: false, ...found };
    return { ok: false, message: error instanceof RangeError ? "nested too deeply" : "not valid JSON" };
  }
}

/** An object that is not an array: what JSON calls an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The one text for a value, whatever order its keys were written in: keys sorted at every depth (by
 * UTF-16 code unit), no spaces, non-ASCII kept. Meant for hashing and comparing; a cycle is a bug and throws.
 */
export function canonicalJson(value: unknown): string {
  return writeCanonical(value) ?? "null";
}

function writeCanonical(value: unknown): string | undefined {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if ("toJSON" in value && typeof value.toJSON === "function") return writeCanonical(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((item) => writeCanonical(item) ?? "null").join(",")}]`;
  const fields: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const text = writeCanonical((value as Record<string, unknown>)[key]);
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${fields.join(",")}}`;
}

export interface JsonTextOptions {
  /** Spaces per level; 0 (the default) gives one line. */
  readonly indent?: number;
}

/**
 * JSON for any value, without throwing: the same as `JSON.stringify` where that works; otherwise a
 * cycle reads `"[circular]"`, a bigint is a decimal string, and `undefined` is `null`.
 */
export function toJsonText(value: unknown, options: JsonTextOptions = {}): string {
  const indent = options.indent ?? 0;
  try {
    return JSON.stringify(value, undefined, indent) ?? "null";
  } catch {
    return JSON.stringify(makeWritable(value, []), undefined, indent) ?? "null";
  }
}

const maxDepth = 200;

function makeWritable(value: unknown, ancestors: readonly object[]): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (ancestors.includes(value)) return "[circular]";
  if (ancestors.length >= maxDepth) return "[too deep]";
  const inner = [...ancestors, value];
  if (Array.isArray(value)) return value.map((item) => makeWritable(item, inner));
  try {
    if ("toJSON" in value && typeof value.toJSON === "function") return makeWritable(value.toJSON(), inner);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, makeWritable(item, inner)]));
  } catch {
    return "[unreadable]";
  }
}

/** Strings as ES2024 knows them; Node 20 has these methods, the ES2023 library types do not. */
interface WellFormable {
  isWellFormed?(): boolean;
  toWellFormed?(): string;
}

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Replaces lone surrogates by U+FFFD, which no wire refuses. Valid pairs stay as they are. */
export function scrubSurrogates(text: string): string {
  const string = text as string & WellFormable;
  return string.toWellFormed?.() ?? text.replace(loneSurrogate, "\uFFFD");
}

/** Scrubs every string and key of plain data. Gives back the same reference when nothing had to change. */
export function scrubDeep<T>(value: T): T {
  return mapStrings(value, scrubSurrogates) as T;
}

/**
 * Applies `change` to every string and key of plain objects and arrays; other objects (dates,
 * secrets, buffers) pass untouched. Parts in which nothing changed keep their identity.
 */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mapStrings(item, change));
    return items.every((item, index) => Object.is(item, value[index])) ? value : items;
  }
  if (!isPlainObject(value)) return value;
  let hasChanged = false;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const newKey = change(key);
    const newItem = mapStrings(item, change);
    hasChanged ||= newKey !== key || !Object.is(newItem, item);
    return [newKey, newItem];
  });
  return hasChanged ? Object.fromEntries(entries) : value;
}

/** An object literal or parsed JSON, as opposed to an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
