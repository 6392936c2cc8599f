import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";

/**
 * A part of the settings with its credentials readable, for those it was written for: the child program
 * of an MCP server, a plugin. Everything else of the program is handed the sealed form.
 */
export function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revealed(inner)]));
}
