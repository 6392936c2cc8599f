import type { KeyPath } from "./key-path.ts";
import type { Shape } from "./shape.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

/** A key the schema does not have, with its value as found. */
export interface UnknownKey {
  readonly path: KeyPath;
  readonly siblings: readonly string[];
  readonly value: unknown;
}

export interface Coerced {
  readonly tree: Tree;
  readonly unknown: readonly UnknownKey[];
  /** Numbers moved to the nearest allowed value. */
  readonly clamped: readonly { readonly path: KeyPath; readonly from: number; readonly to: number }[];
}

interface Findings {
  readonly unknown: UnknownKey[];
  readonly clamped: { path: KeyPath; from: number; to: number }[];
}

/**
 * Brings written values into the types of the schema where the meaning is beyond doubt: `off` for a flag,
 * `"120"` for a number, one string for a list. What stays in doubt is left alone for the checker to report.
 * An empty value (`key:`) counts as not set.
 */
export function coerceTree(tree: Tree, shape: Shape): Coerced {
  const findings: Findings = { unknown: [], clamped: [] };
  const result = coerce(tree, { shape, path: [], findings });
  return { tree: isPlainRecord(result) ? result : {}, ...findings };
}

/** The same for one value, as from a command line or a variable. */
export function coerceValue(value: unknown, shape: Shape): unknown {
  return coerce(value, { shape, path: [], findings: { unknown: [], clamped: [] } });
}

interface Place {
  readonly shape: Shape;
  readonly path: KeyPath;
  readonly findings: Findings;
}

function coerce(value: unknown, place: Place): unknown {
  const { shape } = place;
  if (value === null && !shape.facts.isNullable && shape.kind !== "anything") return undefined;
  if (value === null || value === undefined) return value;
  switch (shape.kind) {
    case "object":
      return isPlainRecord(value) ? coerceFields(value, { ...place, shape }) : value;
    case "map":
      return isPlainRecord(value) ? coerceEntries(value, { ...place, shape }) : value;
    case "list":
      return coerceList(value, { ...place, shape });
    case "union":
      return coerce(value, { ...place, shape: bestOption(shape.options, value) });
    case "choice":
      return coerceChoice(value, shape.choices);
    case "scalar":
      return coerceScalar(value, { ...place, shape });
    case "anything":
      return value;
  }
}

function coerceFields(value: Tree, place: Place & { readonly shape: Shape & { kind: "object" } }): Tree {
  const result: Tree = {};
  for (const [key, child] of Object.entries(value)) {
    const path = [...place.path, key];
    const shape = place.shape.fields.get(key);
    if (shape === undefined) {
      place.findings.unknown.push({ path, siblings: [...place.shape.fields.keys()], value: child });
      continue;
    }
    const coerced = coerce(child, { ...place, shape, path });
    if (coerced !== undefined) result[key] = coerced;
  }
  return result;
}

function coerceEntries(value: Tree, place: Place & { readonly shape: Shape & { kind: "map" } }): Tree {
  const result: Tree = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === "__proto__") continue;
    // An entry without a body (`my-server:`) is an entry with all defaults, not an absent one.
    const written = child === null && place.shape.value.kind === "object" ? {} : child;
    const coerced = coerce(written, { ...place, shape: place.shape.value, path: [...place.path, key] });
    if (coerced !== undefined) result[key] = coerced;
  }
  return result;
}

function coerceList(value: unknown, place: Place & { readonly shape: Shape & { kind: "list" } }): unknown {
  const { item } = place.shape;
  const items = typeof value === "string" && item.kind !== "object" ? splitList(value) : value;
  const wrapped = typeof items === "number" || typeof items === "boolean" ? [items] : items;
  if (!Array.isArray(wrapped)) return wrapped;
  return wrapped
    .filter((child) => child !== null)
    .map((child, index) => coerce(child, { ...place, shape: item, path: [...place.path, String(index)] }));
}

/** `a, b` and `["a","b"]` are lists; a text that is more than plain names is one item. */
function splitList(value: string): unknown {
  const trimmed = value.trim();
  if (trimmed === "") return [];
  if (trimmed.startsWith("[")) {
    try {
      return JSON.parse(trimmed);
    } catch (error) {
      if (error instanceof SyntaxError) return [value];
      throw error;
    }
  }
  const parts = trimmed.split(",").map((part) => part.trim());
  return parts.every(isName) ? parts.filter((part) => part !== "") : [value];
}

/** Most names are ASCII, and the pattern for all letters takes longer to compile than the rest of a load of variables. */
const isName = (part: string): boolean =>
  /^[A-Za-z0-9_@#+.:*!$/=-]*$/.test(part) || /^[\p{L}\p{N}_@#+.:*!$/=-]*$/u.test(part);

const words: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["off", false],
  ["0", false],
]);

function coerceScalar(value: unknown, place: Place & { readonly shape: Shape & { kind: "scalar" } }): unknown {
  switch (place.shape.type) {
    case "flag":
      if (typeof value !== "string" && typeof value !== "number") return value;
      return words.get(String(value).trim().toLowerCase()) ?? value;
    case "number":
      return clamp(typeof value === "string" ? toNumber(value) : value, place);
    case "text":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  }
}

function coerceChoice(value: unknown, choices: readonly string[]): unknown {
  const written = typeof value === "boolean" ? [value ? "on" : "off", String(value)] : [String(value).trim()];
  const isScalar = typeof value === "string" || typeof value === "boolean" || typeof value === "number";
  if (!isScalar) return value;
  const wanted = written.map((word) => word.toLowerCase());
  return choices.find((candidate) => wanted.includes(candidate.toLowerCase())) ?? value;
}

function clamp(value: unknown, place: Place): unknown {
  const { min, max, isClamped } = place.shape.facts;
  if (!isClamped || typeof value !== "number" || Number.isNaN(value)) return value;
  const moved = Math.min(Math.max(value, min ?? Number.NEGATIVE_INFINITY), max ?? Number.POSITIVE_INFINITY);
  if (moved !== value) place.findings.clamped.push({ path: place.path, from: value, to: moved });
  return moved;
}

function toNumber(value: string): number | string {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value.trim()) ? Number(value) : value;
}

/** The option that takes the value as it is; else the first that takes it after a change; else the first. */
function bestOption(options: readonly Shape[], value: unknown): Shape {
  const exact = options.find((option) => accepts(option, value));
  const changed = options.find((option) => accepts(option, coerceValue(value, option)));
  const [first] = options;
  const best = exact ?? changed ?? first;
  if (best === undefined) throw new Error("a union without options");
  return best;
}

function accepts(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case "object":
    case "map":
      return isPlainRecord(value);
    case "list":
      return Array.isArray(value);
    case "union":
      return shape.options.some((option) => accepts(option, value));
    case "choice":
      return typeof value === "string" && shape.choices.includes(value);
    case "scalar":
      return typeof value === { text: "string", flag: "boolean", number: "number" }[shape.type];
    case "anything":
      return true;
  }
}
