import { Secret } from "#foundation/secrets/secret";
import { isPlainObject } from "#foundation/text/json";
import type { KeyPath } from "./key-path.ts";

/** Settings as they stand in a file, before they are checked. */
export type Tree = Record<string, unknown>;

/** The value at a path, through objects and lists; undefined where the path leads nowhere. */
export function valueAt(tree: unknown, path: KeyPath): unknown {
  let current = tree;
  for (const segment of path) {
    if (current instanceof Secret) return undefined;
    if (Array.isArray(current)) current = /^\d+$/.test(segment) ? current[Number(segment)] : undefined;
    else if (isPlainObject(current) && Object.hasOwn(current, segment)) current = current[segment];
    else return undefined;
  }
  return current;
}

/** A copy of the tree with one value changed; objects on the way are made where they are missing. */
export function withValue(tree: Tree, path: KeyPath, value: unknown): Tree {
  const [head, ...rest] = path;
  if (head === undefined) return tree;
  return { ...tree, [head]: replaced(tree[head], rest, value) };
}

/** A copy of the tree without one value; the same tree where there was none. */
export function withoutValue(tree: Tree, path: KeyPath): Tree {
  const [head, ...rest] = path;
  if (head === undefined || !Object.hasOwn(tree, head)) return tree;
  if (rest.length === 0) {
    const { [head]: _removed, ...kept } = tree;
    return kept;
  }
  const child = removed(tree[head], rest);
  return child === tree[head] ? tree : { ...tree, [head]: child };
}

/** Later trees win. Objects are merged key by key; everything else, lists too, is replaced. */
export function mergeTrees(...trees: readonly Tree[]): Tree {
  const merged: Tree = {};
  for (const tree of trees) {
    for (const [key, value] of Object.entries(tree)) {
      if (key === "__proto__") continue;
      const earlier = merged[key];
      merged[key] = isPlainRecord(earlier) && isPlainRecord(value) ? mergeTrees(earlier, value) : value;
    }
  }
  return merged;
}

/** A plain object: neither a list nor a {@link Secret}. */
export function isPlainRecord(value: unknown): value is Tree {
  return isPlainObject(value);
}

/** Freezes a value and everything in it. Secrets guard themselves. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || value instanceof Secret || Object.isFrozen(value)) return value;
  Object.values(value).forEach((child) => {
    deepFreeze(child);
  });
  return Object.freeze(value);
}

function replaced(node: unknown, path: KeyPath, value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (Array.isArray(node) && /^\d+$/.test(head)) {
    const copy: unknown[] = [...node];
    copy[Math.min(Number(head), copy.length)] = replaced(copy[Number(head)], rest, value);
    return copy;
  }
  const record = isPlainRecord(node) ? node : {};
  return { ...record, [head]: replaced(record[head], rest, value) };
}

function removed(node: unknown, path: KeyPath): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return node;
  if (isPlainRecord(node)) return withoutValue(node, path);
  if (!Array.isArray(node) || !/^\d+$/.test(head) || Number(head) >= node.length) return node;
  const position = Number(head);
  if (rest.length === 0) return node.filter((_, index) => index !== position);
  return node.map((item, index) => (index === position ? removed(item, rest) : item));
}
