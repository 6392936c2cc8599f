/** What templates and examples put where a key belongs. */
const placeholders = new Set([
  "*",
  "**",
  "***",
  "changeme",
  "your_api_key",
  "your-api-key",
  "placeholder",
  "example",
  "dummy",
  "null",
  "none",
]);

const shortestKey = 4;

/** The value, trimmed, when it can be a key at all; placeholders and stubs count as not set. */
export function usableKey(value: string | undefined): string | undefined {
  const key = value?.trim();
  if (key === undefined || key.length < shortestKey || placeholders.has(key.toLowerCase())) return undefined;
  return key;
}

const secretNames = ["_API_KEY", "_TOKEN", "_SECRET", "_KEY"];

export interface CleanedValue {
  readonly value: string;
  readonly warning?: string;
}

/**
 * Takes non-ASCII characters out of a key: they come from copying out of a web page, cannot be sent in
 * a header, and are invisible where the person would look for them.
 */
export function cleanKey(name: string, value: string): CleanedValue {
  if (!secretNames.some((ending) => name.endsWith(ending))) return { value };
  const foreign = [...new Set([...value].filter((character) => (character.codePointAt(0) ?? 0) > 0x7e))];
  if (foreign.length === 0) return { value };
  const points = foreign.map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
  return {
    value: [...value].filter((character) => !foreign.includes(character)).join(""),
    warning: `${name} held characters that no key has (${points.join(", ")}); they were left out.`,
  };
}
