import type { JsonSchema } from "#conversation";
import { isRecord } from "#foundation/text/json";

const maxSchemaChars = 64_000;
const maxDepth = 24;

export type SchemaReading =
  | { readonly kind: "schema"; readonly schema: JsonSchema }
  | { readonly kind: "unusable"; readonly reason: string };

/**
 * The argument schema a server sent, as every backend can read it: `definitions` become `$defs`,
 * missing object types are filled in, required names without a property are dropped. A schema that is
 * too large or too deep is refused whole; cutting it would change what it means.
 */
export function readInputSchema(raw: unknown): SchemaReading {
  if (raw === undefined || raw === null) return { kind: "schema", schema: { type: "object", properties: {} } };
  if (!isRecord(raw)) return { kind: "unusable", reason: "its argument schema is not an object" };
  if (depthOf(raw, maxDepth) > maxDepth)
    return { kind: "unusable", reason: "its argument schema is nested too deeply" };
  if (JSON.stringify(raw).length > maxSchemaChars)
    return { kind: "unusable", reason: "its argument schema is too large" };
  const schema = normalize(raw);
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return { kind: "schema", schema: { ...schema, type: "object", properties } };
}

function normalize(value: Record<string, unknown>): Record<string, unknown> {
  const node: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === "definitions" || key === "$defs") {
      node["$defs"] = { ...(isRecord(node["$defs"]) ? node["$defs"] : {}), ...record(inner) };
    } else if (key === "$ref" && typeof inner === "string") {
      node[key] = inner.replace(/^#\/definitions\//, "#/$defs/");
    } else if (key === "properties" || key === "patternProperties") {
      node[key] = record(inner);
    } else if (dataKeys.has(key)) {
      node[key] = inner;
    } else {
      node[key] = Array.isArray(inner) ? inner.map(normalizeAny) : normalizeAny(inner);
    }
  }
  const properties = node["properties"];
  if (isRecord(properties) && node["type"] === undefined) node["type"] = "object";
  if (node["type"] === "object" && properties === undefined) node["properties"] = {};
  if (Array.isArray(node["required"]) && isRecord(node["properties"])) {
    const known = node["properties"];
    node["required"] = node["required"].filter((name) => typeof name === "string" && Object.hasOwn(known, name));
  }
  return node;
}

/** Values under these are data of the schema's author, not schemas. */
const dataKeys = new Set(["enum", "const", "default", "examples", "required"]);

function record(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normalizeAny(inner)]));
}

function normalizeAny(value: unknown): unknown {
  return isRecord(value) ? normalize(value) : value;
}

function depthOf(value: unknown, limit: number): number {
  if (limit < 0 || typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner, limit - 1));
  return deepest + 1;
}
