import { scrubDeep } from "#foundation/json";

/**
 * The body as text. Lone surrogates, which no provider reads, are replaced: `JSON.stringify` writes them
 * as escapes and pairs as characters, so that a look at the text tells whether there are any.
 */
export function writeBody(body: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(body);
  return text.includes("\\ud") ? JSON.stringify(scrubDeep(body)) : text;
}

/** Fields that are not undefined, in the order given. */
export function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
