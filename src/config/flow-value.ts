import { parseSettingsFile } from "./document.ts";

/** A list or a map as it is written on one line: `[a, b]`, `{a: 1}`. */
export type FlowValue =
  | { readonly kind: "none" }
  | { readonly kind: "broken" }
  | { readonly kind: "value"; readonly value: unknown };

/** Reads brackets and braces as a settings file does, so that what works there works on the command line. */
export function flowValue(written: string): FlowValue {
  if (!/^\s*[[{]/.test(written)) return { kind: "none" };
  const read = parseSettingsFile(`value: ${written.trim()}\n`);
  if (read.kind === "broken" || Object.keys(read.tree).length !== 1) return { kind: "broken" };
  const value = read.tree["value"];
  return typeof value === "object" && value !== null ? { kind: "value", value } : { kind: "broken" };
}
