/** Shorter values occur in ordinary text by chance. */
export const shortestSecret = 6;

/**
 * The ways one value travels: as it is, trimmed, backwards, inside JSON, inside a URL, as hexadecimal, and as
 * base 64, standing alone or in the middle of something longer that was encoded as a whole.
 */
export function formsOf(value: string): readonly string[] {
  const plain = value.trim();
  const bytes = Buffer.from(plain, "utf8");
  const hex = bytes.toString("hex");
  const url = encodeURIComponent(wellFormed(plain));
  const forms = new Set([
    value,
    plain,
    JSON.stringify(plain).slice(1, -1),
    url,
    url.replaceAll("%20", "+"),
    url.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
    encodeURI(wellFormed(plain)),
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
    reversed(plain),
    reversed(hex),
    ...base64Forms(Buffer.from(reversed(plain), "utf8")),
  ]);
  return [...forms].filter((form) => form.length >= shortestSecret);
}

/** Backwards, as `rev` prints it. */
export function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** A lone surrogate cannot be written in a URL; as bytes it is the replacement character. */
function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

/**
 * Base 64 packs three bytes into four characters, so what surrounds a value decides which of three
 * texts it becomes. Each form is the part no neighbour can change: the characters made only of bits
 * of the value itself.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  const alone = bytes.toString("base64");
  const forms: string[] = [alone, alone.replace(/=+$/, "")];
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const firstOwn = Math.ceil((offset * 8) / 6);
    const afterOwn = Math.floor(((offset + bytes.length) * 8) / 6);
    forms.push(encoded.slice(firstOwn, afterOwn));
  }
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
