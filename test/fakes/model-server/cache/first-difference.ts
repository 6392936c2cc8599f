import { isObject } from "../wire-object.ts";
import type { PromptBlock } from "./prompt-blocks.ts";

export interface FirstDifference {
  /** Where the earlier prompt stopped being a prefix, for example `tools[2].description`. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Undefined when the later prompt merely extends the earlier one. */
export function firstDifference(
  before: readonly PromptBlock[],
  after: readonly PromptBlock[],
): FirstDifference | undefined {
  for (const [index, old] of before.entries()) {
    const now = after[index];
    if (now === undefined || sectionOf(old) < sectionOf(now))
      return { path: old.path, before: excerpt(old.text, 0), after: "(nothing)" };
    if (sectionOf(old) > sectionOf(now)) return { path: now.path, before: "(nothing)", after: excerpt(now.text, 0) };
    if (old.salt !== now.salt)
      return { path: "tool_choice or thinking", before: old.salt ?? "", after: now.salt ?? "" };
    if (old.text !== now.text) return deepest({ path: now.path, before: old.value, after: now.value });
  }
  return undefined;
}

interface Pair {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Goes down as long as exactly the same keys, in the same order, stand on both sides. */
function deepest(pair: Pair): FirstDifference {
  const { path, before, after } = pair;
  const [oldKeys, newKeys] = [keysOf(before), keysOf(after)];
  const isSameShape = oldKeys.length > 0 && oldKeys.join("\n") === newKeys.join("\n");
  const key = isSameShape ? oldKeys.find((name) => textAt(before, name) !== textAt(after, name)) : undefined;
  if (key !== undefined) {
    const step = Array.isArray(before) ? `[${key}]` : `.${key}`;
    return deepest({ path: `${path}${step}`, before: valueAt(before, key), after: valueAt(after, key) });
  }
  const [oldText, newText] = [show(before), show(after)];
  const at = sharedLength(oldText, newText);
  return { path, before: excerpt(oldText, at), after: excerpt(newText, at) };
}

function keysOf(value: unknown): readonly string[] {
  return Array.isArray(value) || isObject(value) ? Object.keys(value) : [];
}

function valueAt(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) ? value[key] : undefined;
}

function textAt(value: unknown, key: string): string {
  return show(valueAt(value, key));
}

function show(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "(nothing)");
}

function sharedLength(left: string, right: string): number {
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at += 1;
  return at;
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - 20);
  const shown = text.slice(from, at + 40);
  return `${from > 0 ? "..." : ""}${shown}${at + 40 < text.length ? "..." : ""}`;
}

/** Tools stand before the system prompt, and that before the messages. */
function sectionOf({ path }: PromptBlock): number {
  if (path.startsWith("tools")) return 0;
  return path.startsWith("system") || path.startsWith("instructions") ? 1 : 2;
}
