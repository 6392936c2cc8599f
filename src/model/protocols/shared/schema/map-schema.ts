import type { JsonSchema } from "#conversation";
import { isRecord } from "#foundation/text/json";

/** Applies `change` to a schema and every schema inside it, from the inside out. */
export function mapSchema(schema: JsonSchema, change: (node: JsonSchema) => JsonSchema, depth = 0): JsonSchema {
  if (depth > maxDepth) return {};
  const inner = (value: unknown): unknown => (isRecord(value) ? mapSchema(value, change, depth + 1) : value);
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (mapKeys.has(key) && isRecord(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))];
    if (listKeys.has(key) && Array.isArray(value)) return [key, value.map(inner)];
    if (schemaKeys.has(key)) return [key, Array.isArray(value) ? value.map(inner) : inner(value)];
    return [key, value];
  });
  return change(Object.fromEntries(entries));
}

/** A schema deeper than this is a mistake or an attack. */
const maxDepth = 64;
const mapKeys = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const listKeys = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const schemaKeys = new Set(["items", "additionalProperties", "not", "contains", "if", "then", "else", "propertyNames"]);
