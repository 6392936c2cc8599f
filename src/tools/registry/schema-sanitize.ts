import type { JsonSchema } from "#conversation";
import { isRecord } from "#foundation/text/json";

/**
 * Makes a parameter schema one that strict backends accept (grammar-constrained servers, Gemini,
 * Kimi). Works on a copy. Values under `enum`, `default`, `const`, `examples` and `required` are data
 * and are not entered.
 */
export function sanitizeParameters(parameters: unknown): JsonSchema {
  if (!isRecord(parameters)) return { type: "object", properties: {} };
  const node = sanitizeNode(parameters);
  return { ...node, type: "object", properties: isRecord(node["properties"]) ? node["properties"] : {} };
}

const typeNames = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

function sanitizeNode(value: unknown): Record<string, unknown> {
  if (typeof value === "string") return namedType(value);
  if (!isRecord(value)) return { type: "object", properties: {} };
  const node: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) node[key] = sanitizeKey(key, inner);
  flattenType(node);
  if (node["type"] === "object" && !isRecord(node["properties"])) node["properties"] = {};
  pruneRequired(node);
  return node;
}

function sanitizeKey(key: string, inner: unknown): unknown {
  switch (key) {
    case "properties":
    case "$defs":
    case "definitions":
      return isRecord(inner)
        ? Object.fromEntries(Object.entries(inner).map(([name, schema]) => [name, sanitizeNode(schema)]))
        : {};
    case "items":
      return Array.isArray(inner) ? inner.map(sanitizeNode) : sanitizeNode(inner);
    case "additionalProperties":
      return typeof inner === "boolean" ? inner : sanitizeNode(inner);
    case "anyOf":
    case "oneOf":
    case "allOf":
      return Array.isArray(inner) ? inner.map(sanitizeNode) : [];
    default:
      return inner;
  }
}

function namedType(name: string): Record<string, unknown> {
  if (name === "object" || !typeNames.has(name)) return { type: "object", properties: {} };
  return { type: name };
}

/** Lists of types become one type; a `null` in the list becomes `nullable`. */
function flattenType(node: Record<string, unknown>): void {
  const type = node["type"];
  if (!Array.isArray(type)) return;
  const named = type.filter((one): one is string => typeof one === "string");
  node["type"] = named.find((one) => one !== "null") ?? "object";
  if (named.includes("null")) node["nullable"] = true;
}

function pruneRequired(node: Record<string, unknown>): void {
  if (!("required" in node)) return;
  const properties = isRecord(node["properties"]) ? node["properties"] : {};
  const required = Array.isArray(node["required"])
    ? node["required"].filter((name) => typeof name === "string" && Object.hasOwn(properties, name))
    : [];
  if (required.length === 0) delete node["required"];
  else node["required"] = required;
}
