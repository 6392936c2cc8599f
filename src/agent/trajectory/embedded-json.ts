import type { Logger } from "#foundation/files/logger";
import { type ExactJson, ExactNumber } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";

/** JSON as it stands inside trajectory text. A number that JSON cannot say becomes null, and the log says so. */
export function embedJson(value: ExactJson, log?: Logger): string {
  if (log !== undefined && hasUnsayableNumber(value))
    log.warn("A trajectory holds a number that is not finite; it is written as null.");
  return exactJsonText(value);
}

function hasUnsayableNumber(value: ExactJson): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  // Integers are written digit by digit whatever their size; only a float can overflow.
  if (value instanceof ExactNumber) return /[.eE]/.test(value.text) && !Number.isFinite(Number(value.text));
  if (value instanceof Map) return [...value.values()].some((member) => hasUnsayableNumber(member as ExactJson));
  return Array.isArray(value) && value.some((element) => hasUnsayableNumber(element as ExactJson));
}
