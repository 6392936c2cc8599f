import { isDeepStrictEqual } from "node:util";
import { Secret } from "#foundation/secrets/secret";
import type { Config } from "./config.ts";
import { formatKeyPath, type KeyPath } from "./key-path.ts";
import type { ReloadScope } from "./sections/setting.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

/** A setting that differs between two loads, and when the new value starts to count. */
export interface ChangedSetting {
  readonly key: string;
  readonly reload: ReloadScope;
}

/** What changed, for a running program to decide what to take over now and what to announce for later. */
export async function changedSettings(before: Config, after: Config): Promise<readonly ChangedSetting[]> {
  const [{ tableShape }, { shapeAt }] = await Promise.all([import("./table/table-shape.ts"), import("./shape.ts")]);
  const root = tableShape();
  return [...differing(before, after, [])].map((path) => ({
    key: formatKeyPath(path),
    reload: shapeAt(root, path)?.facts.reload ?? "next-session",
  }));
}

function* differing(before: Tree, after: Tree, path: KeyPath): Generator<KeyPath> {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[key], after[key]];
    if (isPlainRecord(old) && isPlainRecord(value)) yield* differing(old, value, [...path, key]);
    else if (!isSame(old, value)) yield [...path, key];
  }
}

function isSame(left: unknown, right: unknown): boolean {
  if (left instanceof Secret && right instanceof Secret) return left.equals(right);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  }
  if (isPlainRecord(left) && isPlainRecord(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].every((key) => isSame(left[key], right[key]));
  }
  return isDeepStrictEqual(left, right);
}
