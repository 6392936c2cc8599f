import type { Invocation } from "./command.ts";
import { usageError } from "./usage-error.ts";

/** Typed reading of what was given; commands do not look into the record themselves. */
export function flagText({ flags }: Invocation, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

export function hasFlag({ flags }: Invocation, name: string): boolean {
  return flags[name] === true || typeof flags[name] === "string";
}

export function flagList({ flags }: Invocation, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value : [];
}

/** A whole number within bounds; a usage error otherwise. */
export function flagNumber(
  invocation: Invocation,
  name: string,
  bounds: { readonly usual: number; readonly min?: number; readonly max?: number },
): number {
  const text = flagText(invocation, name);
  if (text === undefined) return bounds.usual;
  const { min = 1, max = 1_000_000 } = bounds;
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw usageError(`Invalid --${name}: "${text}".`, `Use a whole number from ${min} to ${max}.`);
}

/** An argument that the tree declares as required, so that the parser has already asked for it. */
export function argument({ args }: Invocation, index: number): string {
  const value = args[index];
  if (value === undefined) throw new Error(`the command tree does not declare argument ${index}`);
  return value;
}
