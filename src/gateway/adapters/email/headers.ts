/** The lines of a mail's head by their names in small letters, the topmost first. */
export type Headers = ReadonlyMap<string, readonly string[]>;

export function readHeaders(raw: string): Headers {
  const found = new Map<string, string[]>();
  for (const line of raw.replaceAll(/\r?\n[ \t]+/gu, " ").split(/\r?\n/u)) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const values = found.get(name) ?? [];
    values.push(line.slice(colon + 1).trim());
    found.set(name, values);
  }
  return found;
}

export function header(headers: Headers, name: string): string {
  return headers.get(name)?.[0] ?? "";
}

/** Ids of messages, as `References` lists them: `<…>`. */
export function messageIds(text: string): readonly string[] {
  return text.match(/<[^<>\s]{1,500}>/gu) ?? [];
}
