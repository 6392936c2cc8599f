import { stringify } from "yaml";
import type { KeyPath } from "./key-path.ts";

/** Where a piece of YAML is going to stand. */
export interface Place {
  readonly indent: number;
  readonly eol: string;
}

// Words that older YAML reads as something else (`off`, `yes`) are quoted, so that every reader agrees.
const options = { lineWidth: 0, compat: "yaml-1.1", blockQuote: false } as const;

/** A single value on one line. */
export function scalarText(value: unknown): string {
  return stringify(value, options).trimEnd();
}

/** A value as it may stand inside `{}` and `[]`: JSON is also YAML. */
export function flowText(value: unknown): string {
  const isPlainWord =
    typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value) && scalarText(value) === value;
  return isPlainWord ? value : JSON.stringify(value);
}

/** `a:` / `  b: value`, as whole lines. */
export function pairText(path: KeyPath, value: unknown, place: Place): string {
  const nested = path.reduceRight<unknown>((inner, segment) => ({ [segment]: inner }), value);
  return indented(stringify(nested, options), place);
}

/** `- item`, as whole lines. */
export function sequenceItemText(value: unknown, place: Place): string {
  return indented(stringify([value], options), place);
}

function indented(block: string, place: Place): string {
  const lines = block.replace(/\n$/, "").split("\n");
  return lines.map((line) => (line === "" ? "" : " ".repeat(place.indent)) + line + place.eol).join("");
}
