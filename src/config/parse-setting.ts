import { coerceValue } from "./coerce.ts";
import type { Shape } from "./shape.ts";

/**
 * The value a person means by a word on the command line. Without a shape: `true`/`yes`/`on` and
 * `false`/`no`/`off` are flags, digits are numbers, the rest is text. With one, the key's own type decides, so
 * that `off` stays a word for a choice and `5` stays text for a name.
 */
export function parseSetting(written: string, shape?: Shape): unknown {
  const structured = parseStructured(written);
  if (shape === undefined) return structured ?? guess(written);
  if (structured !== undefined && (holdsMany(shape) || shape.kind === "anything"))
    return coerceValue(structured, shape);
  if (shape.kind === "anything") return guess(written);
  if (shape.facts.isNullable && written.trim() === "null") return null;
  return coerceValue(written, shape);
}

function guess(written: string): unknown {
  const word = written.trim().toLowerCase();
  if (["true", "yes", "on"].includes(word)) return true;
  if (["false", "no", "off"].includes(word)) return false;
  // A leading zero marks an id or a code, not a number.
  if (/^-?(?:0|[1-9]\d*)$/.test(word) && Number.isSafeInteger(Number(word))) return Number(word);
  if (/^-?(?:0|[1-9]\d*)\.\d+$/.test(word)) return Number(word);
  return written;
}

/** `[...]` and `{...}` as JSON; undefined for anything else. */
function parseStructured(written: string): unknown {
  if (!/^\s*[[{]/.test(written)) return undefined;
  try {
    return JSON.parse(written);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function holdsMany(shape: Shape): boolean {
  return ["list", "map", "object"].includes(shape.kind) || (shape.kind === "union" && shape.options.some(holdsMany));
}
