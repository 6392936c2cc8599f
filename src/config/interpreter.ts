import type { KeyPath } from "./key-path.ts";
import { isRequired } from "./lookup.ts";
import type { Node } from "./sections/setting.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

/** A key no section has, with its value as found. */
export interface UnknownKey {
  readonly path: KeyPath;
  readonly siblings: readonly string[];
  readonly value: unknown;
}

/** A value that does not belong where it stands. */
export interface BadValue {
  readonly path: KeyPath;
  readonly value: unknown;
  readonly expected: Node;
  /** A key the value cannot do without. */
  readonly lacks?: string;
}

export interface Findings {
  readonly unknown: UnknownKey[];
  readonly bad: BadValue[];
  /** Numbers moved to the nearest allowed value. */
  readonly clamped: { readonly path: KeyPath; readonly from: number; readonly to: number }[];
}

/**
 * Reads written values: brings them into their types where the meaning is beyond doubt (`off` for a flag, `"120"`
 * for a number, one string for a list) and leaves out what is no value for its key, so that one bad key never
 * costs more than itself. An empty value (`key:`) counts as not set.
 */
export function readTree(tree: Tree, root: Node): Findings & { readonly tree: Tree } {
  const findings: Findings = { unknown: [], bad: [], clamped: [] };
  const read = new Reader(findings).read(tree, root, []);
  return { tree: isPlainRecord(read) ? read : {}, ...findings };
}

/** The same for one value, which is undefined when it is none for the key. */
export function readValue(value: unknown, node: Node): { readonly value: unknown; readonly isGood: boolean } {
  const findings: Findings = { unknown: [], bad: [], clamped: [] };
  const read = new Reader(findings).read(value, node, []);
  return { value: read, isGood: read !== undefined && findings.bad.length === 0 };
}

class Reader {
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  read(value: unknown, node: Node, path: KeyPath): unknown {
    if (value === null) return node.nullable === true || node.kind === "anything" ? null : undefined;
    if (value === undefined) return undefined;
    switch (node.kind) {
      case "group":
        return isPlainRecord(value) ? this.#group(value, node, path) : this.#refuse(value, node, path);
      case "map":
        return isPlainRecord(value) ? this.#map(value, node, path) : this.#refuse(value, node, path);
      case "list":
        return this.#list(value, node, path);
      case "either": {
        const option = optionFor(value, node.options);
        return option === undefined ? this.#refuse(value, node, path) : this.read(value, option, path);
      }
      case "anything":
        return value;
      default:
        return this.#scalar(value, node, path);
    }
  }

  #refuse(value: unknown, expected: Node, path: KeyPath): undefined {
    this.#findings.bad.push({ path, value, expected });
  }

  #group(value: Tree, node: Node & { readonly kind: "group" }, path: KeyPath): Tree | undefined {
    const result: Tree = {};
    for (const [key, child] of Object.entries(value)) {
      const own = [...path, key];
      const field = Object.hasOwn(node.fields, key) ? node.fields[key] : undefined;
      if (field === undefined) {
        this.#findings.unknown.push({ path: own, siblings: Object.keys(node.fields), value: child });
        continue;
      }
      const read = this.read(child, field, own);
      if (read !== undefined) result[key] = read;
    }
    const missing = Object.entries(node.fields).find(
      ([key, field]) => isRequired(field) && !Object.hasOwn(result, key),
    );
    if (missing === undefined) return result;
    this.#findings.bad.push({ path, value, expected: node, lacks: missing[0] });
    return undefined;
  }

  #map(value: Tree, node: Node & { readonly kind: "map" }, path: KeyPath): Tree {
    const result: Tree = {};
    for (const [key, child] of Object.entries(value)) {
      if (key === "__proto__") continue;
      // An entry without a body (`my-server:`) is an entry with nothing set, not an absent one.
      const written = child === null && node.value.kind === "group" ? {} : child;
      const read = this.read(written, node.value, [...path, key]);
      if (read !== undefined) result[key] = read;
    }
    return result;
  }

  #list(value: unknown, node: Node & { readonly kind: "list" }, path: KeyPath): unknown {
    const split = typeof value === "string" && node.item.kind !== "group" ? splitList(value) : value;
    const items = typeof split === "number" || typeof split === "boolean" ? [split] : split;
    if (!Array.isArray(items)) return this.#refuse(value, node, path);
    return items
      .map((item, index) => this.read(item, node.item, [...path, String(index)]))
      .filter((item) => item !== undefined);
  }

  #scalar(value: unknown, node: Node, path: KeyPath): unknown {
    const coerced = coerceScalar(value, node);
    const moved = node.kind === "number" && node.clamp === true ? clamped(coerced, node) : coerced;
    if (!takes(node, moved)) return this.#refuse(moved, node, path);
    if (typeof moved === "number" && typeof coerced === "number" && moved !== coerced) {
      this.#findings.clamped.push({ path, from: coerced, to: moved });
    }
    return moved;
  }
}

/** The option that takes the value as it is; else the first that takes it after a change. */
const optionFor = (value: unknown, options: readonly Node[]): Node | undefined =>
  options.find((option) => takes(option, value)) ?? options.find((option) => readValue(value, option).isGood);

/** Whether a value is of the type of a node; what is in a group, a map or a list is not looked at. */
function takes(node: Node, value: unknown): boolean {
  switch (node.kind) {
    case "group":
    case "map":
      return isPlainRecord(value);
    case "list":
      return Array.isArray(value);
    case "either":
      return node.options.some((option) => takes(option, value));
    case "choice":
      return typeof value === "string" && node.choices.includes(value);
    case "number": {
      const isRightKind = node.whole === true ? Number.isSafeInteger(value) : Number.isFinite(value);
      return isRightKind && Number(value) >= (node.min ?? -Infinity) && Number(value) <= (node.max ?? Infinity);
    }
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "anything":
      return true;
  }
}

const flagWords: ReadonlyMap<string, boolean> = new Map(
  [
    ["true", "yes", "on", "1"],
    ["false", "no", "off", "0"],
  ].flatMap((words, index) => words.map((word): [string, boolean] => [word, index === 0])),
);

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function coerceScalar(value: unknown, node: Node): unknown {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return value;
  const word = String(value).trim();
  switch (node.kind) {
    case "flag":
      return typeof value === "boolean" ? value : (flagWords.get(word.toLowerCase()) ?? value);
    case "number":
      return typeof value === "string" && decimal.test(word) ? Number(word) : value;
    case "text":
      return String(value);
    case "choice": {
      const words = typeof value === "boolean" ? [value ? "on" : "off", word] : [word.toLowerCase()];
      return node.choices.find((candidate) => words.includes(candidate.toLowerCase())) ?? value;
    }
    default:
      return value;
  }
}

function clamped(value: unknown, { min = -Infinity, max = Infinity }: Node & { readonly kind: "number" }): unknown {
  return typeof value !== "number" || Number.isNaN(value) ? value : Math.min(Math.max(value, min), max);
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
