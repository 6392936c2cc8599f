import type { KeyPath } from "../key-path.ts";
import { isPlainRecord, type Tree } from "../tree.ts";

/** A place in a file, both counted from one. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a settings file says, and where. */
export interface SettingsDocument {
  readonly text: string;
  readonly tree: Tree;
  /** Keys written twice in the same map; the last one counts. */
  readonly duplicates: readonly { readonly path: KeyPath; readonly position: Position }[];
  /** Where a key is written; undefined for a key the file does not have. */
  locate(path: KeyPath): Position | undefined;
}

/**
 * Where everything stands in a text, as plain JSON that holds nothing of the text but the names of keys. A text is the
 * offsets of its lines, a number those of its digits; keys and items of lists have the offset they start at.
 */
export type Located =
  | boolean
  | null
  | readonly number[]
  | { readonly number: readonly [start: number, end: number] }
  | { readonly items: readonly LocatedEntry[] }
  | { readonly named: Readonly<Record<string, LocatedEntry>> };

export type LocatedEntry = readonly [offset: number, value: Located | typeof elsewhere];

/** A value that does not stand in the text as it is (escapes, references), so that no offsets lead back to it. */
export const elsewhere = "elsewhere";

export interface LocatedText {
  readonly root: Located;
  readonly duplicates: readonly (readonly [path: KeyPath, offset: number])[];
}

export function documentOf(text: string, tree: Tree, { root, duplicates }: LocatedText): SettingsDocument {
  return {
    text,
    tree,
    duplicates: duplicates.map(([path, offset]) => ({ path, position: positionAt(text, offset) })),
    locate: (path) => {
      const offset = offsetOf(root, path);
      return offset === undefined ? undefined : positionAt(text, offset);
    },
  };
}

export function positionAt(text: string, offset: number): Position {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return { line: text.slice(0, start).split("\n").length, column: Math.max(offset - start, 0) + 1 };
}

function offsetOf(root: Located, path: KeyPath): number | undefined {
  let entry: LocatedEntry | undefined;
  let value: Located | typeof elsewhere = root;
  for (const segment of path) {
    if (typeof value !== "object" || value === null) return undefined;
    if ("named" in value) entry = Object.hasOwn(value.named, segment) ? value.named[segment] : undefined;
    else entry = "items" in value && /^\d+$/.test(segment) ? value.items[Number(segment)] : undefined;
    if (entry === undefined) return undefined;
    value = entry[1];
  }
  return entry?.[0];
}

/** The values that offsets lead to; undefined when they are not a {@link Located} of this text or lead elsewhere. */
export function valuesOf(root: unknown, text: string): Tree | undefined {
  const value = valueBehind(root, text);
  return isPlainRecord(value) ? value : undefined;
}

function valueBehind(located: unknown, text: string): unknown {
  if (located === null || typeof located === "boolean") return located;
  if (Array.isArray(located)) return spanText(located, text);
  if (!isPlainRecord(located)) return undefined;
  if ("number" in located) {
    const digits = Array.isArray(located.number) ? spanText(located.number, text) : undefined;
    return digits === undefined ? undefined : Number(digits);
  }
  if (Array.isArray(located.items)) {
    const items = located.items.map((entry) => entryOf(entry, text));
    return items.includes(undefined) ? undefined : items;
  }
  if (!isPlainRecord(located.named)) return undefined;
  const entries = Object.entries(located.named).map(([key, entry]) => [key, entryOf(entry, text)] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}

const entryOf = (entry: unknown, text: string): unknown =>
  Array.isArray(entry) && isOffset(entry[0]) ? valueBehind(entry[1], text) : undefined;

function spanText(offsets: readonly unknown[], text: string): string | undefined {
  if (offsets.length === 0 || offsets.length % 2 === 1 || !offsets.every(isOffset)) return undefined;
  const lines: string[] = [];
  for (let index = 0; index < offsets.length; index += 2) lines.push(text.slice(offsets[index], offsets[index + 1]));
  return lines.join("\n");
}

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
