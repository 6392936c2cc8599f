import type { KeyPath } from "./key-path.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

export interface Expansion {
  readonly tree: Tree;
  /** References to variables that are not set; they stay in the text as written. */
  readonly missing: readonly { readonly path: KeyPath; readonly variable: string }[];
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces `${NAME}` in every string. Bare `$NAME` and unset names stay as they are. */
export function expandVariables(tree: Tree, variables: Readonly<Record<string, string | undefined>>): Expansion {
  const missing: { path: KeyPath; variable: string }[] = [];
  const expand = (value: unknown, path: KeyPath): unknown => {
    if (typeof value === "string") {
      // Few values refer to anything, and compiling the pattern costs more than reading a whole file of them.
      if (!value.includes("${")) return value;
      return value.replace(reference, (written, variable: string) => {
        const found = variables[variable];
        if (found === undefined) missing.push({ path, variable });
        return found ?? written;
      });
    }
    if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, String(index)]));
    if (!isPlainRecord(value)) return value;
    return expandEntries(value, path);
  };
  const expandEntries = (record: Tree, path: KeyPath): Tree =>
    Object.fromEntries(Object.entries(record).map(([key, child]) => [key, expand(child, [...path, key])]));
  return { tree: expandEntries(tree, []), missing };
}
