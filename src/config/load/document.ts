import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, parseDocument } from "yaml";
import { isPlainRecord, type Tree } from "../tree.ts";
import {
  documentOf,
  elsewhere,
  type Located,
  type LocatedEntry,
  type LocatedText,
  type Position,
  positionAt,
  type SettingsDocument,
} from "./located.ts";

export interface GoodDocument extends SettingsDocument {
  readonly kind: "good";
  readonly document: Document.Parsed;
  readonly located: LocatedText;
}

export interface BrokenDocument extends Position {
  readonly kind: "broken";
  readonly text: string;
  readonly message: string;
}

/** Reads a settings file. Never throws: what cannot be read comes back with its place and reason. */
export function parseSettingsFile(text: string): GoodDocument | BrokenDocument {
  const document = parseDocument(text, { intAsBigInt: true, uniqueKeys: false, merge: true });
  const broken = (message: string, offset: number): BrokenDocument => ({
    kind: "broken",
    text,
    message,
    ...positionAt(text, offset),
  });
  const [error] = document.errors;
  if (error !== undefined) return broken(firstLine(error.message), error.pos[0]);
  const { contents } = document;
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  if (!isEmpty && !isMap(contents)) return broken("The file must hold keys and values", offsetOf(contents));
  const tree = toTree(document);
  if (typeof tree === "string") return broken(tree, 0);
  const locator = new Locator(text);
  const root = isEmpty ? { named: {} } : locator.locate(contents, tree, []);
  const located: LocatedText = { root: root === elsewhere ? { named: {} } : root, duplicates: locator.duplicates };
  return { kind: "good", document, located, ...documentOf(text, tree, located) };
}

/** The values of a document, or the reason why they cannot be had (endless references). */
function toTree(document: Document.Parsed): Tree | string {
  try {
    const value = narrowNumbers(document.toJS({ maxAliasCount: 100 }));
    return isPlainRecord(value) ? value : {};
  } catch (error) {
    if (error instanceof ReferenceError) return firstLine(error.message);
    throw error;
  }
}

/** Whole numbers too large to be exact (chat ids) become text; the others become numbers. */
function narrowNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (Array.isArray(value)) return value.map(narrowNumbers);
  if (!isPlainRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, narrowNumbers(child)]));
}

/** Finds where the values of a tree stand in the text they were read from. */
class Locator {
  readonly duplicates: [path: readonly string[], offset: number][] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  locate(node: unknown, value: unknown, path: readonly string[]): Located | typeof elsewhere {
    if (value === null || typeof value === "boolean") return value;
    if (isMap(node) && isPlainRecord(value)) {
      const named: Record<string, LocatedEntry> = {};
      for (const pair of node.items) {
        const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
        const own = [...path, key];
        if (Object.hasOwn(named, key) && key !== "<<") this.duplicates.push([own, offsetOf(pair.key)]);
        named[key] = [offsetOf(pair.key), this.locate(pair.value, value[key], own)];
      }
      return { named };
    }
    if (isSeq(node) && Array.isArray(value)) {
      const items = node.items.map(
        (item, index): LocatedEntry => [offsetOf(item), this.locate(item, value[index], [...path, String(index)])],
      );
      return { items };
    }
    if (!isScalar(node) || !node.range) return elsewhere;
    const [start, end] = node.range;
    if (typeof value === "number") return { number: [start, end] };
    return typeof value === "string" ? this.#lines(value, start, end) : elsewhere;
  }

  #lines(value: string, start: number, end: number): readonly number[] | typeof elsewhere {
    const offsets: number[] = [];
    let from = start;
    for (const line of value.split("\n")) {
      const at = this.#text.indexOf(line, from);
      if (at === -1 || at + line.length > end) return elsewhere;
      from = at + line.length;
      offsets.push(at, from);
    }
    return offsets;
  }
}

function offsetOf(node: unknown): number {
  if (isPair(node)) return offsetOf(node.key);
  return (isNode(node) || isAlias(node) ? node.range?.[0] : undefined) ?? 0;
}

/** The library adds the place and an excerpt of the file, which may hold a secret; only the reason is kept. */
function firstLine(message: string): string {
  return (message.split("\n", 1)[0] ?? "").replace(/ at line \d+, column \d+:?$/, "").trim();
}
