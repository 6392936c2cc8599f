import { decodeExact, type ExactJson, type ExactObject } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";

export function isObject(value: ExactJson | undefined): value is ExactObject {
  return value instanceof Map;
}

/** The non-empty name of a call object. */
export function nameOf(value: ExactJson): string | undefined {
  const name = isObject(value) ? value.get("name") : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Arguments as text: objects written anew; a string that holds an object is that object. */
export function argumentsText(value: ExactJson | undefined): string {
  if (value === undefined || value === null) return "{}";
  if (typeof value === "string") {
    const inner = decodeExact(value)?.value;
    if (isObject(inner)) return exactJsonText(inner);
  }
  return exactJsonText(value);
}
