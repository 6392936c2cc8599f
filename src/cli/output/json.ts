import { Secret } from "#foundation/secrets/secret";

/** Raised when a field changes its meaning or goes away; new fields do not change it. */
export const schemaVersion = 1;

/** One JSON document as `--json` prints it. */
export function jsonDocument(fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ schema_version: schemaVersion, ...fields }, undefined, 2)}\n`;
}

/**
 * Our records with the names of the outside: `lastActiveMs` is `last_active_ms`. Only for records whose keys are
 * ours; a map keyed by what a person wrote is printed as it is.
 */
export function snakeCase(value: unknown): unknown {
  if (value instanceof Secret) return "***";
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [snakeName(key), snakeCase(child)]));
}

const snakeName = (name: string): string =>
  name.replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before}_${after.toLowerCase()}`);
