import type { Settings } from "../config.ts";
import { sealByName, sealEach, sealEntries, sealText } from "../seal.ts";
import { isPlainRecord, type Tree } from "../tree.ts";
import type { NodeRef, SealName, TableNode } from "./node.ts";
import { nodeAt, rootRef } from "./table.ts";

// Invariants
// 1. A value that is given back is the one the schema would give, down to the order of the keys.
// 2. Nothing is ever refused here. What is not plainly good is undecided, and the schema decides.

/** The checked settings with all defaults, or undefined where only the schema can tell. */
export function plainSettings(tree: Tree): Settings | undefined {
  const checked = plainValue(rootRef, tree);
  // The table is made from the schema, so what passes it has the type of the schema.
  return checked === undefined ? undefined : (checked.value as Settings);
}

/** The same for a value that is set, at one node of the table. */
export function plainValue(ref: NodeRef, value: unknown): { readonly value: unknown } | undefined {
  const checked = present(nodeAt(ref), value);
  return checked === undecided ? undefined : { value: checked };
}

/** The settings as they are when nothing is set. */
export function defaultSettings(): Settings {
  const settings = plainSettings({});
  if (settings === undefined) throw new Error("the table of the configuration does not accept its own defaults");
  return settings;
}

const undecided = Symbol("undecided");

function present(node: TableNode, value: unknown): unknown {
  if (value === null && node.kind !== "anything") return node.nullable === true ? null : undecided;
  const checked = plain(node, value);
  return checked === undecided || node.seal === undefined ? checked : sealed(node.seal, checked);
}

/** What a key is without a value; undefined for one that is then left out. */
function absent(node: TableNode): unknown {
  if (node.absent === "left-out") return undefined;
  if (node.absent === "empty") return present(node, {});
  if (node.default === undefined) return undecided;
  // Each load has its own copy, because what it gives away is frozen.
  const value = copied(node.default);
  return node.seal === undefined ? value : sealed(node.seal, value);
}

function copied(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? [] : value.map(copied);
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, copied(child)]));
}

function plain(node: TableNode, value: unknown): unknown {
  switch (node.kind) {
    case "object":
      return plainObject(node.fields, value);
    case "map":
      return plainMap(nodeAt(node.value), value);
    case "list":
      return plainList(nodeAt(node.item), value);
    case "union":
      return plainOption(node.options.map(nodeAt), value);
    case "choice":
      return typeof value === "string" && node.choices.includes(value) ? value : undecided;
    case "number":
      return typeof value === "number" && isAllowed(node, value) ? value : undecided;
    case "text":
      return typeof value === "string" ? value : undecided;
    case "flag":
      return typeof value === "boolean" ? value : undecided;
    case "anything":
      return value === undefined ? undecided : value;
  }
}

function plainObject(fields: Readonly<Record<string, NodeRef>>, value: unknown): unknown {
  if (!isPlainRecord(value)) return undecided;
  if (Object.keys(value).some((key) => !Object.hasOwn(fields, key))) return undecided;
  const result: Tree = {};
  // `in` makes no objects of its own, and this runs once for every key there is. The table is JSON: it inherits none.
  for (const key in fields) {
    const node = nodeAt(fields[key]);
    const checked = Object.hasOwn(value, key) ? present(node, value[key]) : absent(node);
    if (checked === undecided) return undecided;
    if (checked !== undefined) result[key] = checked;
  }
  return result;
}

/** Names by which a plain object can be mistaken for another one; the schema has rules of its own for them. */
const oddNames = ["__proto__", "constructor"];

function plainMap(item: TableNode, value: unknown): unknown {
  if (!isPlainRecord(value) || oddNames.some((name) => Object.hasOwn(value, name))) return undecided;
  const result: Tree = {};
  for (const [key, child] of Object.entries(value)) {
    const checked = present(item, child);
    if (checked === undecided) return undecided;
    result[key] = checked;
  }
  return result;
}

function plainList(item: TableNode, value: unknown): unknown {
  if (!Array.isArray(value)) return undecided;
  const result: unknown[] = [];
  for (const child of value) {
    const checked = present(item, child);
    if (checked === undecided) return undecided;
    result.push(checked);
  }
  return result;
}

/** The only option that takes values of this type; where there are two, the schema chooses. */
function plainOption(options: readonly TableNode[], value: unknown): unknown {
  const [option, another] = options.filter((candidate) => takesTypeOf(candidate, value));
  return option === undefined || another !== undefined ? undecided : present(option, value);
}

function takesTypeOf(node: TableNode, value: unknown): boolean {
  switch (node.kind) {
    case "object":
    case "map":
      return isPlainRecord(value);
    case "list":
      return Array.isArray(value);
    case "union":
    case "anything":
      return true;
    case "choice":
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean";
  }
}

function isAllowed({ whole, min, max }: TableNode & { readonly kind: "number" }, value: number): boolean {
  const isRightKind = whole === true ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isRightKind && (min === undefined || value >= min) && (max === undefined || value <= max);
}

function sealed(seal: SealName, value: unknown): unknown {
  switch (seal) {
    case "text":
      return typeof value === "string" ? sealText(value) : undecided;
    case "entries":
      return isPlainRecord(value) ? sealEntries(value) : undecided;
    case "each":
      return Array.isArray(value) && value.every(isPlainRecord) ? sealEach(value) : undecided;
    case "names":
      return sealByName(value);
  }
}
