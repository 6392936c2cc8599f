import { isDeepStrictEqual } from "node:util";
import {
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { KeyPath } from "../key-path.ts";
import type { GoodDocument } from "../load/document.ts";

/** A change of one key. */
export type SettingChange =
  | { readonly kind: "set"; readonly path: KeyPath; readonly value: unknown }
  | { readonly kind: "unset"; readonly path: KeyPath };

/** The edited text; undefined when the place has a form this does not know. */
export function editText(before: GoodDocument, change: SettingChange): string | undefined {
  const { text, document } = before;
  const found = descend(document.contents, change.path);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (change.kind === "unset") return found.rest.length === 0 ? removeFound(text, found) : text;
  const { value } = change;
  if (found.rest.length === 0) return replaceFound(text, found, { value, eol });
  if (found.parent === undefined) return appendLines(text, pairText(found.rest, value, { indent: 0, eol }), eol);
  if (isMap(found.parent)) return insertInMap(text, found.parent, { path: found.rest, value, eol });
  if (isPair(found.parent)) return fillEmpty(text, found.parent, { path: found.rest, value, eol });
  return undefined;
}

interface Found {
  /** The last collection on the way, or the pair whose value is empty; undefined for an empty file. */
  readonly parent: YAMLMap | YAMLSeq | Pair | undefined;
  /** The pair or list item the path ends at. */
  readonly item: unknown;
  readonly rest: KeyPath;
}

function descend(contents: unknown, path: KeyPath): Found {
  let node = contents;
  let parent: Found["parent"];
  let item: unknown;
  for (const [depth, segment] of path.entries()) {
    const rest = path.slice(depth);
    if (isMap(node)) {
      parent = node;
      const pair = node.items.find((candidate) => isScalar(candidate.key) && String(candidate.key.value) === segment);
      if (pair === undefined) return { parent, item: undefined, rest };
      item = pair;
      node = pair.value;
    } else if (isSeq(node)) {
      parent = node;
      item = node.items[Number(segment)];
      if (item === undefined) return { parent, item: undefined, rest };
      node = item;
    } else {
      return { parent: isPair(item) ? item : undefined, item: undefined, rest };
    }
  }
  return { parent, item, rest: [] };
}

interface Wanted {
  readonly value: unknown;
  readonly eol: string;
}

function replaceFound(text: string, found: Found, wanted: Wanted): string | undefined {
  const isInFlow = isCollection(found.parent) && found.parent.flow === true;
  const node = isPair(found.item) ? found.item.value : found.item;
  if (!isNode(node) || node.range === null || node.range === undefined) return undefined;
  const [start, end] = node.range;
  const isOneLine = isScalar(node) && !text.slice(start, end).includes("\n");
  const isScalarValue = typeof wanted.value !== "object" || wanted.value === null;
  if (isOneLine && (isScalarValue || isInFlow)) {
    const written = isInFlow ? flowText(wanted.value) : scalarText(wanted.value);
    return splice(text, { start, end, written: padded(text, { start, end, written }) });
  }
  if (isInFlow || (isCollection(node) && node.flow === true)) {
    return splice(text, { start, end, written: flowText(wanted.value) });
  }
  if (isSeq(node) && Array.isArray(wanted.value)) {
    const longer = appendItems(text, node, { value: wanted.value, eol: wanted.eol });
    if (longer !== undefined) return longer;
  }
  return isPair(found.item) ? replacePair(text, found.item, wanted) : undefined;
}

/** An empty value sits right behind its colon, or right before a comment. */
function padded(text: string, edit: Splice): string {
  if (edit.start !== edit.end) return edit.written;
  const before = text[edit.start - 1] === ":" ? " " : "";
  const after = text[edit.end] === "#" ? " " : "";
  return before + edit.written + after;
}

/** Adds to a list what was appended to it, and leaves the lines of the earlier items alone. */
function appendItems(
  text: string,
  node: YAMLSeq,
  wanted: { value: readonly unknown[]; eol: string },
): string | undefined {
  const count = node.items.length;
  const last = node.items.at(-1);
  const old = node.toJSON();
  const isLonger = Array.isArray(old) && wanted.value.length > count && count > 0;
  if (!isLonger || !isDeepStrictEqual(old, wanted.value.slice(0, count).map(asWritten))) return undefined;
  const at = afterNode(text, last);
  const indent = columnOf(text, node.range?.[0] ?? 0);
  const lines = wanted.value.slice(count).map((item) => sequenceItemText(item, { indent, eol: wanted.eol }));
  return insertLines(text, at, lines.join(""));
}

/** Whole numbers are read as big ones while editing, so that long ids keep their digits. */
function asWritten(value: unknown): unknown {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}

function replacePair(text: string, pair: Pair, wanted: Wanted): string | undefined {
  const location = locationOf(text, pair, wanted.eol);
  if (location === undefined || !isScalar(pair.key)) return undefined;
  const start = lineStart(text, location.offset);
  const written = pairText([String(pair.key.value)], wanted.value, location);
  return splice(text, { start, end: afterNode(text, pair), written });
}

function insertInMap(text: string, map: YAMLMap, wanted: Wanted & { readonly path: KeyPath }): string | undefined {
  const last = map.items.at(-1);
  if (map.flow === true) return insertInFlow(text, map, wanted);
  const [first] = map.items;
  const location = locationOf(text, first, wanted.eol);
  // In `- name: x` the first key follows a dash; the others stand below it.
  const indent = location?.indent ?? (first === undefined ? undefined : columnOf(text, offsetOf(first)));
  if (last === undefined || indent === undefined) return undefined;
  return insertLines(text, afterNode(text, last), pairText(wanted.path, wanted.value, { indent, eol: wanted.eol }));
}

function insertInFlow(text: string, map: YAMLMap, wanted: Wanted & { readonly path: KeyPath }): string | undefined {
  const [key, ...deeper] = wanted.path;
  const last = map.items.at(-1);
  const [start, end] = map.range ?? [];
  if (key === undefined || start === undefined || end === undefined) return undefined;
  const nested = deeper.reduceRight<unknown>((value, segment) => ({ [segment]: value }), wanted.value);
  const written = `${flowText(key)}: ${flowText(nested)}`;
  if (last === undefined) return splice(text, { start, end, written: `{${written}}` });
  const at = endOf(last);
  return splice(text, { start: at, end: at, written: `, ${written}` });
}

/** `agent:` without a value: the keys are written below it. */
function fillEmpty(text: string, pair: Pair, wanted: Wanted & { readonly path: KeyPath }): string | undefined {
  const location = locationOf(text, pair, wanted.eol);
  if (location === undefined || !isScalar(pair.value)) return undefined;
  const [start, end] = pair.value.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  const emptied = splice(text, { start, end, written: "" });
  const written = pairText(wanted.path, wanted.value, { indent: location.indent + 2, eol: wanted.eol });
  return insertLines(emptied, lineEnd(emptied, start), written);
}

function removeFound(text: string, found: Found): string | undefined {
  const { parent, item } = found;
  if (!isCollection(parent)) return undefined;
  if (parent.flow === true) return removeFromFlow(text, parent, item);
  const start = lineStart(text, offsetOf(item));
  const before = text.slice(start, offsetOf(item));
  const standsAlone = isSeq(parent) ? /^\s*-\s+$/.test(before) : /^\s*$/.test(before);
  return standsAlone ? splice(text, { start, end: afterNode(text, item), written: "" }) : undefined;
}

function removeFromFlow(text: string, parent: YAMLMap | YAMLSeq, item: unknown): string | undefined {
  const items: readonly unknown[] = parent.items;
  const index = items.indexOf(item);
  const previous = items[index - 1];
  const next = items[index + 1];
  if (index > 0) return splice(text, { start: endOf(previous), end: endOf(item), written: "" });
  const end = next === undefined ? endOf(item) : offsetOf(next);
  return splice(text, { start: offsetOf(item), end, written: "" });
}

function appendLines(text: string, lines: string, eol: string): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : eol}${lines}`;
}

/** Puts whole lines in at the start of a line, also behind a last line that is not ended. */
function insertLines(text: string, at: number, lines: string): string {
  const isEnded = at === 0 || text[at - 1] === "\n";
  if (isEnded) return splice(text, { start: at, end: at, written: lines });
  const eol = lines.endsWith("\r\n") ? "\r\n" : "\n";
  return text.slice(0, at) + eol + lines.slice(0, -eol.length) + text.slice(at);
}

/** Indentation of a pair that starts its own line; undefined for one that shares it. */
function locationOf(text: string, pair: unknown, eol: string): (Location & { readonly offset: number }) | undefined {
  const offset = offsetOf(pair);
  const before = text.slice(lineStart(text, offset), offset).replace(/^\uFEFF/, "");
  return /^ *$/.test(before) ? { indent: before.length, eol, offset } : undefined;
}

/** The start of the line after a node, with the comment behind it. */
function afterNode(text: string, item: unknown): number {
  const value = isPair(item) ? (item.value ?? item.key) : item;
  const end = isNode(value) ? (value.range?.[2] ?? 0) : 0;
  return end > 0 && text[end - 1] === "\n" ? end : lineEnd(text, end);
}

function endOf(item: unknown): number {
  const value = isPair(item) ? (item.value ?? item.key) : item;
  return isNode(value) ? (value.range?.[1] ?? 0) : 0;
}

function offsetOf(item: unknown): number {
  const node = isPair(item) ? item.key : item;
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly written: string;
}

const splice = (text: string, edit: Splice): string => text.slice(0, edit.start) + edit.written + text.slice(edit.end);

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1;

function lineEnd(text: string, offset: number): number {
  const found = text.indexOf("\n", offset);
  return found === -1 ? text.length : found + 1;
}

const columnOf = (text: string, offset: number): number => offset - lineStart(text, offset);

/** Where a piece of YAML is going to stand. */
interface Location {
  readonly indent: number;
  readonly eol: string;
}

// Words that older YAML reads as something else (`off`, `yes`) are quoted, so that every reader agrees.
const options = { lineWidth: 0, compat: "yaml-1.1", blockQuote: false } as const;

/** A single value on one line. */
function scalarText(value: unknown): string {
  return stringify(value, options).trimEnd();
}

/** A value as it may stand inside `{}` and `[]`: JSON is also YAML. */
function flowText(value: unknown): string {
  const isPlainWord =
    typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value) && scalarText(value) === value;
  return isPlainWord ? value : JSON.stringify(value);
}

/** `a:` / `  b: value`, as whole lines. */
function pairText(path: KeyPath, value: unknown, location: Location): string {
  const nested = path.reduceRight<unknown>((inner, segment) => ({ [segment]: inner }), value);
  return indented(stringify(nested, options), location);
}

/** `- item`, as whole lines. */
function sequenceItemText(value: unknown, location: Location): string {
  return indented(stringify([value], options), location);
}

function indented(block: string, location: Location): string {
  const lines = block.replace(/\n$/, "").split("\n");
  return lines.map((line) => (line === "" ? "" : " ".repeat(location.indent)) + line + location.eol).join("");
}
