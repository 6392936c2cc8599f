import type { JsonSchema } from "#conversation";
import { isRecord } from "#foundation/text/json";
import { mapSchema } from "./map-schema.ts";

/**
 * Moonshot refuses a property without a `type` and a `type` beside `anyOf`. A missing type is inferred;
 * a reference has none.
 */
export function moonshotSchema(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, (node) => {
    if (typeof node["$ref"] === "string") return node;
    if (Array.isArray(node["anyOf"])) {
      const { type: _beside, ...rest } = node;
      return { ...rest, anyOf: node["anyOf"].map((one) => (isRecord(one) ? withType(one) : one)) };
    }
    return withTypedChildren(node);
  });
}

function withTypedChildren(node: JsonSchema): JsonSchema {
  const { properties, items } = node;
  const typed: Record<string, unknown> = { ...node };
  if (isRecord(properties))
    typed["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, isRecord(one) ? withType(one) : { type: "string" }]),
    );
  if (isRecord(items)) typed["items"] = withType(items);
  return typed;
}

function withType(node: JsonSchema): JsonSchema {
  const alternatives = ["$ref", "anyOf", "oneOf", "allOf"];
  if (typeof node["type"] === "string" || alternatives.some((key) => key in node)) return node;
  if (Array.isArray(node["type"])) {
    const named = node["type"].find((one) => typeof one === "string" && one !== "null");
    return { ...node, type: typeof named === "string" ? named : "string" };
  }
  return { ...node, type: inferType(node) };
}

function inferType(node: JsonSchema): string {
  if ("properties" in node || "additionalProperties" in node || "required" in node) return "object";
  if ("items" in node || "prefixItems" in node) return "array";
  const values = Array.isArray(node["enum"]) ? node["enum"] : "const" in node ? [node["const"]] : [];
  const types = new Set(values.filter((value) => value !== null).map(typeOfValue));
  const [only] = types;
  return types.size === 1 && only !== undefined ? only : "string";
}

function typeOfValue(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "boolean") return "boolean";
  if (Array.isArray(value)) return "array";
  return typeof value === "object" ? "object" : "string";
}
