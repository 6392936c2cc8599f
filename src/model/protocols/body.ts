import { scrubDeep, scrubSurrogates } from "#foundation/text/json";

/** A piece of a body that is written already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Inside another value the text cannot be used as it is; what it says is the same. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** The body as text, the same as if all of it were written now: fields that are `JsonText` are taken as they are. */
export function writeBody(body: Readonly<Record<string, unknown>>): string {
  const named = Object.fromEntries(Object.entries(body).map(([name, value]) => [scrubSurrogates(name), value]));
  // Added, not joined, so that long texts are copied once: when the body is sent.
  let fields = "";
  for (const [name, value] of Object.entries(named)) {
    const text = value instanceof JsonText ? value.text : jsonText(value);
    if (text !== undefined) fields += `${fields === "" ? "" : ","}${JSON.stringify(name)}:${text}`;
  }
  return `{${fields}}`;
}

/**
 * One value as text; undefined for what JSON leaves out. Lone surrogates, which no provider reads, are replaced:
 * `JSON.stringify` writes them as escapes and pairs as characters, so that a look at the text tells whether
 * there are any.
 */
export function jsonText(value: unknown): string | undefined {
  const text: string | undefined = JSON.stringify(value);
  return text?.includes("\\ud") === true ? JSON.stringify(scrubDeep(value)) : text;
}

/** Fields that are not undefined, in the order given. */
export function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
