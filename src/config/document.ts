import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { KeyPath } from "./key-path.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

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

export interface GoodDocument extends SettingsDocument {
  readonly kind: "good";
  readonly document: Document.Parsed;
}

export interface BrokenDocument extends Position {
  readonly kind: "broken";
  readonly text: string;
  readonly message: string;
}

/** Reads a settings file. Never throws: what cannot be read comes back with its place and reason. */
export function parseSettingsFile(text: string): GoodDocument | BrokenDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, intAsBigInt: true, uniqueKeys: false, merge: true });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [error] = document.errors;
  if (error !== undefined) return { kind: "broken", text, message: firstLine(error.message), ...at(error.pos[0]) };
  if (document.contents !== null && !isMap(document.contents)) {
    const isEmpty = isScalar(document.contents) && document.contents.value === null;
    if (!isEmpty)
      return {
        kind: "broken",
        text,
        message: "The file must hold keys and values",
        ...at(offsetOf(document.contents)),
      };
  }
  const tree = toTree(document);
  if (typeof tree === "string") return { kind: "broken", text, message: tree, line: 1, column: 1 };
  const locate = (path: KeyPath) => {
    const offset = keyOffset(document.contents, path);
    return offset === undefined ? undefined : at(offset);
  };
  const duplicates = findDuplicates(document.contents, []).map(({ path, offset }) => ({ path, position: at(offset) }));
  return { kind: "good", text, tree, duplicates, document, locate };
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

function keyOffset(node: unknown, path: KeyPath): number | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return undefined;
  if (isSeq(node)) {
    const item = /^\d+$/.test(head) ? node.items[Number(head)] : undefined;
    if (item === undefined) return undefined;
    return rest.length === 0 ? offsetOf(item) : keyOffset(item, rest);
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.findLast((item) => String(isScalar(item.key) ? item.key.value : item.key) === head);
  if (pair === undefined) return undefined;
  return rest.length === 0 ? offsetOf(pair.key) : keyOffset(pair.value, rest);
}

function findDuplicates(node: unknown, path: KeyPath): { path: KeyPath; offset: number }[] {
  if (isSeq(node)) return node.items.flatMap((item, index) => findDuplicates(item, [...path, String(index)]));
  if (!isMap(node)) return [];
  const seen = new Set<string>();
  return node.items.flatMap((pair) => {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const isRepeated = seen.has(key) && key !== "<<";
    seen.add(key);
    const here = isRepeated ? [{ path: [...path, key], offset: offsetOf(pair.key) }] : [];
    return [...here, ...findDuplicates(pair.value, [...path, key])];
  });
}

function offsetOf(node: unknown): number {
  if (isPair(node)) return offsetOf(node.key);
  return (isNode(node) || isAlias(node) ? node.range?.[0] : undefined) ?? 0;
}

/** The library adds the place and an excerpt of the file, which may hold a secret; only the reason is kept. */
function firstLine(message: string): string {
  return (message.split("\n", 1)[0] ?? "").replace(/ at line \d+, column \d+:?$/, "").trim();
}
