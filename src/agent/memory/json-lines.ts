import { isRecord, parseJson } from "#foundation/text/json";

/** One line of a file of JSON lines; a line we cannot read is kept as it is. */
export interface JsonLine<T> {
  readonly raw: string;
  readonly record: T | undefined;
}

export function readLines<T>(
  text: string,
  read: (record: Readonly<Record<string, unknown>>) => T | undefined,
): readonly JsonLine<T>[] {
  return text
    .split("\n")
    .filter((raw) => raw.trim() !== "")
    .map((raw) => {
      const parsed = parseJson(raw);
      return { raw, record: parsed.ok && isRecord(parsed.value) ? read(parsed.value) : undefined };
    });
}

export function writeLines(raws: readonly string[]): string {
  return raws.map((raw) => `${raw}\n`).join("");
}
