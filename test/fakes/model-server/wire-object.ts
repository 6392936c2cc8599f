/** JSON from the wire before anybody has looked at it, and the few questions everybody asks it. */
export type WireObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The elements of a wire array; one that is no object becomes an empty object so that indexes stay true. */
export function objectsIn(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.map((element) => (isObject(element) ? element : {})) : [];
}

export function objectAt(value: unknown): WireObject {
  return isObject(value) ? value : {};
}

export function stringAt(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function listAt(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The words of a content, whatever its protocol: a string, or parts that carry `text`. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map((part) => stringAt(part.text))
    .join("");
}
