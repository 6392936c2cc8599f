import { isRecord, parseJson } from "#foundation/text/json";

/**
 * The arguments a model wrote for a call, read as strictly as is useful. Slips of the pen that leave
 * one possible meaning are mended; anything that would need a guess is an error the model can read.
 */
export type ReadArguments =
  | { readonly kind: "ok"; readonly value: Readonly<Record<string, unknown>>; readonly wasMended: boolean }
  /** The text stops in the middle: it must never be run. */
  | { readonly kind: "truncated"; readonly message: string }
  | { readonly kind: "invalid"; readonly message: string };

const maxSurplusClosers = 50;

export function readArguments(text: string): ReadArguments {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "None" || trimmed === "null")
    return { kind: "ok", value: {}, wasMended: trimmed !== "" };
  const plain = parseJson(trimmed);
  if (plain.ok) return asObject(plain.value, false);
  const mended = mend(trimmed);
  if (mended.kind === "truncated") return { kind: "truncated", message: plain.message };
  const parsed = mended.text === trimmed ? plain : parseJson(mended.text);
  return parsed.ok ? asObject(parsed.value, true) : { kind: "invalid", message: plain.message };
}

function asObject(value: unknown, wasMended: boolean): ReadArguments {
  if (isRecord(value)) return { kind: "ok", value, wasMended };
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return { kind: "invalid", message: `arguments must be a JSON object, not ${found}` };
}

type Mended = { readonly kind: "text"; readonly text: string } | { readonly kind: "truncated" };

/**
 * One pass over the text: raw control characters in strings are escaped, commas before a closer and
 * surplus closers are dropped, and closers that were forgotten before an outer one are put in. A text
 * that ends inside a string, or not on a closer while something is open, was cut.
 */
function mend(text: string): Mended {
  const scan: Scan = { out: [], stack: [], surplus: 0 };
  let index = 0;
  while (index < text.length) {
    const character = text[index] ?? "";
    if (character === '"') {
      const end = readString(text, index, scan.out);
      if (end === undefined) return { kind: "truncated" };
      index = end;
      continue;
    }
    if (character === "{" || character === "[") {
      scan.stack.push(character === "{" ? "}" : "]");
      scan.out.push(character);
    } else if (character === "}" || character === "]") close(scan, character);
    else scan.out.push(character);
    index += 1;
  }
  if (scan.stack.length > 0) {
    if (!/[}\]]$/.test(text)) return { kind: "truncated" };
    dropTrailingComma(scan.out);
    scan.out.push(...scan.stack.reverse());
  }
  return { kind: "text", text: scan.out.join("") };
}

interface Scan {
  readonly out: string[];
  readonly stack: string[];
  surplus: number;
}

function close(scan: Scan, closer: string): void {
  const at = scan.stack.lastIndexOf(closer);
  if (at < 0) {
    scan.surplus += 1;
    // Past this many the text is not a slip; keeping the closer makes the parser refuse it.
    if (scan.surplus > maxSurplusClosers) scan.out.push(closer);
    return;
  }
  dropTrailingComma(scan.out);
  while (scan.stack.length > at) scan.out.push(scan.stack.pop() ?? "");
}

function dropTrailingComma(out: string[]): void {
  let last = out.length - 1;
  while (last >= 0 && /^\s$/.test(out[last] ?? "")) last -= 1;
  if (out[last] === ",") out.splice(last, 1);
}

/** Copies a string literal, escaping raw control characters; the index behind it, or undefined when it never ends. */
function readString(text: string, start: number, out: string[]): number | undefined {
  let piece = '"';
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text[index] ?? "";
    if (character === "\\") {
      piece += character + (text[index + 1] ?? "");
      index += 1;
    } else if (character === '"') {
      out.push(`${piece}"`);
      return index + 1;
    } else piece += character < " " ? escapeControl(character) : character;
  }
  return undefined;
}

function escapeControl(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
